//go:build linux || darwin || freebsd || netbsd || openbsd

package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// keyboard is a terminal that gives single keys, without echo. Signals stay as they are: Ctrl-C interrupts.
type keyboard struct {
	fd     int
	before unix.Termios

	mu   sync.Mutex // guards open
	open bool

	once     sync.Once // closes done
	done     chan struct{}
	finished sync.WaitGroup
}

// openKeyboard puts the terminal of in into that mode and gives what is typed to press, one key or sequence at a time. It does nothing,
// and returns nil, where in is no terminal or belongs to another program of the shell.
func openKeyboard(in *os.File, press func(string)) *keyboard {
	k := &keyboard{fd: int(in.Fd()), done: make(chan struct{}), open: true}
	before, err := unix.IoctlGetTermios(k.fd, termiosGet)
	if err != nil || !k.foreground() {
		return nil
	}
	k.before = *before
	if k.set() != nil {
		return nil
	}
	// After a stop by Ctrl-Z the shell has put the terminal back.
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	k.finished.Go(func() {
		defer signal.Stop(continued)
		buffer := make([]byte, 64)
		for {
			select {
			case <-k.done:
				return
			case <-continued:
				if k.foreground() {
					_ = k.set() // keys do nothing then
				}
			default:
			}
			if !k.foreground() { // reading would stop the process
				select {
				case <-k.done:
				case <-continued:
					if k.foreground() {
						_ = k.set()
						continue
					}
				}
				continue
			}
			n, err := unix.Read(k.fd, buffer) // a tenth of a second at most
			if err != nil && err != unix.EINTR && err != unix.EAGAIN {
				return
			}
			if n > 0 {
				press(string(buffer[:n]))
			}
		}
	})
	return k
}

func (k *keyboard) foreground() bool {
	group, err := unix.IoctlGetInt(k.fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func (k *keyboard) set() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.open {
		return nil
	}
	keys := k.before
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 0, 1
	return unix.IoctlSetTermios(k.fd, termiosSet, &keys)
}

// restore puts the terminal back at once; it may be called from anywhere, again too.
func (k *keyboard) restore() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open {
		k.open = false
		_ = unix.IoctlSetTermios(k.fd, termiosSet, &k.before) // a terminal that is gone needs nothing
	}
}

// close puts the terminal back and waits until nothing reads it any more.
func (k *keyboard) close() {
	if k == nil {
		return
	}
	k.restore()
	k.once.Do(func() { close(k.done) })
	k.finished.Wait()
}
