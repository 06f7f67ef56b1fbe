// Package diag says what is wrong with a text and where.
//
// A [Diagnostic] is a mistake that a user can mend in a file or on the command line; everything
// else is an ordinary error. Rooms collect diagnostics in a [List], which the command sorts into
// file order and renders with the source line, a caret and a hint, or prints as JSON.
// diag imports no other room, reads no files by itself and never decides an exit code.
package diag
