// Package dying ends the process when one of its goroutines panics.
//
// Left to the language, a panic first runs what the goroutine has deferred: it is counted out, others take its work for
// done, and on a busy machine the run may have ended, and passed, before anything is told.
package dying

import (
	"fmt"
	"os"
	"runtime/debug"
)

// status is that of errors: the 2 of the language says here that a run was interrupted.
const status = 1

// Guard is what a goroutine defers last. On a panic it calls before, which may be nil, for who holds the terminal, tells the
// panic and its stack on stderr, and ends the process with exit code 1.
func Guard(before func()) {
	if mistake := recover(); mistake != nil {
		End(mistake, before)
	}
}

// End does so with a panic that was recovered elsewhere.
func End(mistake any, before func()) {
	stack := debug.Stack()
	if before != nil {
		before()
	}
	fmt.Fprintf(os.Stderr, "panic: %v (a mistake of stacrun's: please report it)\n\n%s", mistake, stack)
	os.Exit(status)
}
