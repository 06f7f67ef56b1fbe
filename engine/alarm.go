package engine

import (
	"time"
)

// alarm is what the pacer waits on. wake may be called from any goroutine and ends the wait that is
// under way, or the next one.
type alarm interface {
	wait(d time.Duration)
	wake()
	close()
}

// newAlarm gives the finest alarm of the machine; with a clock of a test's own it is the runtime's timer.
func (e *Engine) newAlarm() alarm {
	if e.opts.Clock == nil {
		if a := newFineAlarm(); a != nil {
			return a
		}
	}
	return &timerAlarm{bell: make(chan struct{}, 1)}
}

// timerAlarm uses the runtime's timers, which an idle process rounds to whole milliseconds.
type timerAlarm struct {
	bell  chan struct{}
	timer *time.Timer
}

func (a *timerAlarm) wait(d time.Duration) {
	if a.timer == nil {
		a.timer = time.NewTimer(d)
	} else {
		a.timer.Reset(d)
	}
	select {
	case <-a.timer.C:
	case <-a.bell:
	}
}

func (a *timerAlarm) wake() {
	select {
	case a.bell <- struct{}{}:
	default:
	}
}

func (a *timerAlarm) close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// onChange wakes an alarm whenever the level changes or the gate closes, until the returned function is called.
func (x *running) onChange(a alarm) (unhook func()) {
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-x.level.changed:
				a.wake()
			case <-x.gate.closing:
				a.wake()
				<-stop
				return
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-gone
	}
}
