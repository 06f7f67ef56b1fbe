package console

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stacrun/stacrun/reporters/reporttest"
)

// stuck is a terminal that takes nothing until it is let go.
type stuck struct {
	goOn chan struct{}

	mu   sync.Mutex // guards text
	text strings.Builder
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.goOn
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// TestStalledTerminal tells of a whole run on a terminal that takes nothing: nobody waits for it but the end, for a moment.
func TestStalledTerminal(t *testing.T) {
	terminal := &stuck{goOn: make(chan struct{})}
	out := NewLossy(terminal)
	c := New(Options{Out: out, Every: 1})
	outcome := *reporttest.Outcome()
	if err := reporttest.Feed(c, reporttest.Run(""), &outcome); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(outcome.Notices, "\n"); !strings.Contains(got, "the progress of the run could not be shown: the terminal takes no more output") {
		t.Errorf("notices: %q", got)
	}
	if _, err := out.Write([]byte("more\n")); err != nil || !errors.Is(out.Flush(), errStalled) {
		t.Errorf("%v, %v", err, out.Flush())
	}
	close(terminal.goOn)
}

// TestSlowTerminal writes more than waits for a terminal, then lets it go on: what was kept comes in order, and the rest is counted.
func TestSlowTerminal(t *testing.T) {
	terminal := &stuck{goOn: make(chan struct{})}
	out := NewLossy(terminal)
	const lines, length = 5000, 100
	want := ""
	for i := range lines {
		line := fmt.Sprintf("%-*d\n", length-1, i)
		if (i+1)*length <= mostWaiting {
			want += line
		}
		if n, err := out.Write([]byte(line)); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	close(terminal.goOn)
	lost := lines - len(want)/length
	if err := out.Flush(); err == nil || err.Error() != fmt.Sprintf("the terminal was too slow for %d lines", lost) {
		t.Errorf("%v, want %d to be lost", err, lost)
	}
	terminal.mu.Lock()
	defer terminal.mu.Unlock()
	if terminal.text.String() != want {
		t.Errorf("%d bytes came, want %d", terminal.text.Len(), len(want))
	}
}

// TestPatientWriter writes more than waits for a terminal, before the terminal takes any of it: nothing is lost.
func TestPatientWriter(t *testing.T) {
	terminal := &stuck{goOn: make(chan struct{})}
	out := NewLossy(terminal)
	out.Patient(true)
	want := strings.Repeat("0123456789\n", mostWaiting/4)
	done := make(chan error)
	go func() {
		for line := range strings.Lines(want) {
			_, _ = out.Write([]byte(line)) // never fails
		}
		done <- out.Flush()
	}()
	for full := false; !full; runtime.Gosched() {
		out.mu.Lock()
		full = out.bytes > mostWaiting // who writes it waits now
		out.mu.Unlock()
	}
	close(terminal.goOn)
	if err := <-done; err != nil || terminal.text.String() != want {
		t.Errorf("%d bytes of %d came, %v", terminal.text.Len(), len(want), err)
	}
}

// leisurely is a terminal that takes its time.
type leisurely struct{ text strings.Builder }

func (l *leisurely) Write(p []byte) (int, error) {
	runtime.Gosched()
	return l.text.Write(p)
}

// TestUnhurriedWriter writes much more than waits for a terminal: one that takes it slowly gets all of it, and one that takes nothing keeps
// nobody for longer than it may.
func TestUnhurriedWriter(t *testing.T) {
	chunk := []byte(strings.Repeat("0123456789\n", 3000))
	const chunks = 100
	terminal := &leisurely{}
	out := NewLossy(terminal)
	for range chunks {
		_, _ = out.Unhurried().Write(chunk) // never fails
	}
	if err := out.Flush(); err != nil || terminal.text.Len() != chunks*len(chunk) {
		t.Errorf("%d bytes of %d came, %v", terminal.text.Len(), chunks*len(chunk), err)
	}
	dead := &stuck{goOn: make(chan struct{})}
	out = NewLossy(dead)
	for range chunks {
		_, _ = out.Unhurried().Write(chunk)
	}
	if err := out.Flush(); !errors.Is(err, errStalled) {
		t.Errorf("a terminal that takes nothing: %v", err)
	}
	close(dead.goOn)
}

// closed is a terminal that is gone.
type closed struct{ writes int }

func (c *closed) Write([]byte) (int, error) { c.writes++; return 0, errors.New("it is gone") }

// TestClosedTerminal writes to one that fails: the first error is kept, and it is not asked again.
func TestClosedTerminal(t *testing.T) {
	terminal := &closed{}
	out := NewLossy(terminal)
	for range 3 {
		_, _ = out.Write([]byte("x")) // never fails
		if err := out.Flush(); err == nil || err.Error() != "it is gone" {
			t.Error(err)
		}
	}
	if terminal.writes != 1 {
		t.Errorf("%d writes", terminal.writes)
	}
}
