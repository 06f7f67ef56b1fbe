// Package assert checks responses.
//
// [Compile] turns a [Spec] into a [Check]; [Check.Test] looks at an [extract.Response] and says
// whether it holds and, if not, in one bounded sentence what was expected and what was seen.
// assert imports diag and engine/extract (for the response and its decoded trees).
package assert
