package engine

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// fineAlarm is a timerfd that is read through the runtime's poller: some 30 µs late at the median, where the
// runtime's timers are half a millisecond late in an idle process.
type fineAlarm struct {
	file  *os.File
	fd    int
	woken atomic.Bool
}

// newFineAlarm returns nil where the kernel has none to give.
func newFineAlarm() alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	return &fineAlarm{file: os.NewFile(uintptr(fd), "timerfd"), fd: fd}
}

func (a *fineAlarm) set(d time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(d, 1)))}
	return unix.TimerfdSettime(a.fd, 0, &spec, nil)
}

func (a *fineAlarm) wait(d time.Duration) {
	if a.woken.Swap(false) {
		return
	}
	if err := a.set(d); err != nil {
		time.Sleep(min(d, time.Millisecond))
		return
	}
	if a.woken.Load() { // between the look above and the setting
		_ = a.set(1) // if it fails, the wait takes as long as was asked for
	}
	var expired [8]byte
	if _, err := a.file.Read(expired[:]); err != nil {
		time.Sleep(min(d, time.Millisecond))
	}
	a.woken.Store(false)
}

func (a *fineAlarm) wake() {
	a.woken.Store(true)
	_ = a.set(1) // see wait
}

func (a *fineAlarm) close() { _ = a.file.Close() } // nothing was written
