package main

import (
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/stacrun/stacrun/session"
)

// endOnSignal ends the process by a signal in words and with the exit code of an interruption, for as long as nothing has begun that
// would have to be ended first: while files are read, and by verbs that only read. [app.interrupts] takes over from it. release may be
// called again.
func (a *app) endOnSignal() (release func()) {
	signals := notified()
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-done:
		case s := <-signals:
			a.aside.Patient(false)
			io.WriteString(a.aside, "stacrun: interrupted by "+signalName(s)+"\n")
			_ = a.aside.Flush() // where it cannot be said, the exit code tells
			os.Exit(session.ExitInterrupted)
		}
	})
	return sync.OnceFunc(func() { signal.Stop(signals); close(done); watching.Wait() })
}

// notified gives the signals that ask a command to end.
func notified() chan os.Signal {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return signals
}

// interrupts turns SIGINT, SIGTERM and SIGHUP into reasons, and so does a key Ctrl-C that no longer is a signal: see [app.ctrlC]. The
// third one ends the process at once, should the second have had no effect. release waits until nothing comes any more.
func (a *app) interrupts() (reasons chan string, release func()) {
	signals := notified()
	a.unhand()
	out := make(chan string, 4) // others than signals may send too
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for n := 1; ; n++ {
			reason := ""
			select {
			case <-done:
				return
			case s := <-signals:
				reason = "interrupted by " + signalName(s)
			case <-a.ctrlC:
				reason = "interrupted by Ctrl-C"
			}
			if n > 2 {
				_ = a.desk.Close() // nothing is left to be told of it
				os.Exit(session.ExitInterrupted)
			}
			select {
			case out <- reason:
			default: // it was asked to stop often enough
			}
			a.sayStopping(n)
		}
	})
	return out, func() { signal.Stop(signals); close(done); watching.Wait() }
}

// sayStopping says what an interruption does, in the live view where there is one.
func (a *app) sayStopping(n int) {
	text := "stopping: what has begun may finish; press Ctrl-C again to stop at once"
	if n > 1 {
		text = "stopping at once"
	}
	if !a.desk.Say(text) && !a.Quiet && n == 1 {
		io.WriteString(a.aside, text+"\n")
	}
}

// signalName is the name that everybody knows; Go calls SIGINT "interrupt".
func signalName(s os.Signal) string {
	switch s {
	case os.Interrupt:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return s.String()
}

// surviveClosedPipe makes a write to a closed stdout or stderr an error instead of the end of the
// process: the other reports of a run are still to be written.
func surviveClosedPipe() { signal.Ignore(syscall.SIGPIPE) }

// logger is for what has no log file of its own; nil without --verbose.
func (a *app) logger() *slog.Logger {
	if !a.Verbose {
		return nil
	}
	return slog.New(slog.NewTextHandler(a.aside, nil))
}

// verboseLog is where the log goes besides its file.
func (a *app) verboseLog() io.Writer {
	if a.Verbose {
		return a.aside
	}
	return nil
}
