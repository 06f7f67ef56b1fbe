//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// notifyJobs passes on the signals by which a shell stops and continues its jobs.
func notifyJobs(c chan<- os.Signal) { signal.Notify(c, syscall.SIGTSTP, syscall.SIGCONT) }

// foreground reports whether the terminal belongs to this process. What is no terminal belongs to everybody.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// settled is the time within which a signal that stops the process has done so, and backAgain how often a process in the background
// looks whether it has come back: shells do not tell one that was running there.
const settled, backAgain = 100 * time.Millisecond, 300 * time.Millisecond

// suspend does what Ctrl-Z does elsewhere, and returns what is to be said of it. Where no shell could continue the job, the kernel would
// not stop it either.
func (l *live) suspend() string {
	session, err := unix.Getsid(0)
	parent := os.Getppid()
	if above, errAbove := unix.Getsid(parent); err != nil || errAbove != nil || parent == 0 || above != session || unix.Getpgrp() == session {
		return "there is no shell to go back to"
	}
	l.stop(0)
	return ""
}

// handle does what a signal of job control asks for.
func (l *live) handle(s os.Signal) {
	if s == syscall.SIGTSTP {
		l.stop(os.Getpid())
		return
	}
	// Stopped and continued by others: the shell has set the terminal's mode in between. What could not be given back, because
	// it belongs to the shell already, is taken all the same when it is ours again.
	_ = l.program.ReleaseTerminal()
	l.resume()
}

// stop gives the terminal back, stops the process (0: its whole job), and takes the terminal again when it is this process's again. In
// between, in the background of the shell, the run goes on unseen. SIGTSTP would not do: Go does not let go of a signal that it
// has once been asked for.
func (l *live) stop(process int) {
	_ = l.program.ReleaseTerminal()
	_ = syscall.Kill(process, syscall.SIGSTOP)
	time.Sleep(settled)
	l.resume()
}

// resume takes the terminal as soon as it belongs to this process, unless the view is to go before that. It waits a moment first: what
// draws the frames stops its ticker only after bubbletea has said that the terminal is released, and one that was set anew before
// that would be stopped with it, and nothing drawn any more.
func (l *live) resume() {
	time.Sleep(settled)
	look := time.NewTicker(backAgain)
	defer look.Stop()
	for {
		if foreground(l.in) {
			l.drain()
			if l.program.RestoreTerminal() == nil { // it may have changed hands again
				return
			}
		}
		select {
		case <-look.C:
		case <-l.leave:
			return
		}
	}
}

// drain forgets that the process was continued: that is being seen to.
func (l *live) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.news.signal == syscall.SIGCONT {
		l.news.signal = nil
	}
}
