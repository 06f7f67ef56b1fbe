package console

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Lossy writes for those who must not wait, such as who counts and judges a run: what a terminal takes too slowly, or not any more, is
// dropped, unless it is made [Lossy.Patient]. It is safe for several goroutines; one writes for all while there is something to write.
type Lossy struct {
	to io.Writer

	mu      sync.Mutex // guards what follows
	patient bool
	waiting [][]byte
	bytes   int           // that wait, or are being written
	idle    chan struct{} // closed when nothing is left to be written; nil: nothing is
	lost    int           // lines that were dropped
	err     error         // the first one; nothing is written after it
}

// mostWaiting is how many bytes wait at most for a terminal: some thousand lines.
const mostWaiting = 256 << 10

// NewLossy makes a writer over one that may be slow.
func NewLossy(to io.Writer) *Lossy { return &Lossy{to: to} }

// Patient sets whether everything is written, however long it takes: while there is no run that waiting would hold up.
func (l *Lossy) Patient(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.patient = yes
}

// Write keeps a copy of p to be written soon. It never fails, and waits only where it is patient and much is waiting already.
func (l *Lossy) Write(p []byte) (int, error) {
	if idle := l.keep(p); idle != nil {
		<-idle
	}
	return len(p), nil
}

// keep takes p over, or drops it. Not nil is what a patient writer waits for.
func (l *Lossy) keep(p []byte) (idle <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	much := l.bytes > 0 && l.bytes+len(p) > mostWaiting // as in full
	switch {
	case l.err != nil:
		return nil
	case much && !l.patient:
		l.lost += max(bytes.Count(p, []byte("\n")), 1)
		return nil
	}
	l.waiting, l.bytes = append(l.waiting, bytes.Clone(p)), l.bytes+len(p)
	if l.idle == nil {
		l.idle = make(chan struct{})
		go l.drain()
	}
	if much {
		return l.idle
	}
	return nil
}

// Unhurried is the same writer for those who write much and may wait, such as commands: what does not fit waits for as long as a
// terminal may take, before it is dropped.
func (l *Lossy) Unhurried() io.Writer { return unhurried{l} }

type unhurried struct{ to *Lossy }

// Write implements [io.Writer].
func (u unhurried) Write(p []byte) (int, error) {
	if u.to.full(len(p)) {
		_ = u.to.Flush() // what was lost is told in the end
	}
	return u.to.Write(p)
}

// full reports whether so many bytes more would be too many.
func (l *Lossy) full(more int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes > 0 && l.bytes+more > mostWaiting
}

// drain writes what waits, and ends when nothing does. [Lossy.Flush] waits for it.
func (l *Lossy) drain() {
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 || l.err != nil {
			close(l.idle)
			l.idle = nil
			l.mu.Unlock()
			return
		}
		next := bytes.Join(l.waiting, nil)
		l.waiting = nil
		l.mu.Unlock()
		_, err := l.to.Write(next)
		l.mu.Lock()
		l.bytes -= len(next)
		if l.err == nil {
			l.err = err
		}
		l.mu.Unlock()
	}
}

// Flush waits until all that was to be written is: where it is not patient, for as long as a terminal may take for it. The error is why
// something was not.
func (l *Lossy) Flush() error {
	l.mu.Lock()
	idle, patient := l.idle, l.patient
	if l.err != nil {
		idle = nil // as it is after a wait in vain: one is enough
	}
	l.mu.Unlock()
	stalled := false
	switch {
	case idle == nil:
	case patient:
		<-idle
	default:
		limit := time.NewTimer(patience)
		defer limit.Stop()
		select {
		case <-idle:
		case <-limit.C:
			stalled = true
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if stalled && l.err == nil {
		l.err = errStalled
	}
	if l.err == nil && l.lost > 0 {
		return fmt.Errorf("the terminal was too slow for %d lines", l.lost)
	}
	return l.err
}
