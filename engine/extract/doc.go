// Package extract takes values out of responses.
//
// [Compile] turns a [Spec] into an [Extractor] once, when the plan is built; [Extractor.Extract]
// then reads a [Response], which decodes its body at most once whatever the number of extractors
// and checks that look at it, and fills a [Result]. Nothing here stores variables: the engine does,
// after the extraction as a whole has succeeded, so that no half state is ever seen.
// extract imports diag only.
package extract
