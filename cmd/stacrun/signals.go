package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// interrupts turns SIGINT, SIGTERM and SIGHUP into reasons. The third one ends the process at once,
// should the second have had no effect.
func (a *app) interrupts() (reasons chan string, release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	out := make(chan string, 4) // others than signals may send too
	done := make(chan struct{})
	go func() {
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case s := <-signals:
				if n > 2 {
					a.keyboard.restore()
					os.Exit(2)
				}
				select {
				case out <- "interrupted by " + s.String():
				default: // it was asked to stop often enough
				}
				if text := "stopping: running requests may finish; press Ctrl-C again to stop at once"; n == 1 && !a.desk.Say(text) && !a.Quiet {
					io.WriteString(a.stderr, text+"\n")
				}
			}
		}
	}()
	return out, func() { signal.Stop(signals); close(done) }
}

// surviveClosedPipe makes a write to a closed stdout or stderr an error instead of the end of the
// process: the other reports of a run are still to be written.
func surviveClosedPipe() { signal.Ignore(syscall.SIGPIPE) }

// verboseLog is where the log goes besides its file.
func (a *app) verboseLog() io.Writer {
	if a.Verbose {
		return a.stderr
	}
	return nil
}
