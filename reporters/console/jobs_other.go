//go:build !unix

package console

import "os"

// Without job control there is nothing to be told, and a terminal always belongs to the process.

func notifyJobs(chan<- os.Signal) {}

func foreground(*os.File) bool { return true }

func (*live) suspend() string { return "" }

func (*live) handle(os.Signal) {}
