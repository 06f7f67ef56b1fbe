package session

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// patient is a sender whose End waits for what the test has it wait for.
type patient struct {
	name    string
	waits   func(hurried <-chan struct{})
	hurried chan struct{}
	once    sync.Once
}

var _ report.Sender = (*patient)(nil)

func (*patient) Begin(report.Run) error { return nil }
func (*patient) Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error {
	return nil
}
func (p *patient) Hurry() { p.once.Do(func() { close(p.hurried) }) }
func (p *patient) End(o *report.Outcome) error {
	p.waits(p.hurried)
	o.Notices = append(o.Notices, p.name)
	o.Files = append(o.Files, report.Artifact{Path: p.name})
	return nil
}

func withSenders(t *testing.T, senders ...*patient) *Prepared {
	t.Helper()
	p := prepare(t)
	for _, s := range senders {
		s.hurried = make(chan struct{})
		p.Reporters = slices.Insert(p.Reporters, 0, report.Reporter(s))
	}
	return p
}

func TestSendersEndTogether(t *testing.T) {
	var both sync.WaitGroup // returns only when each End has begun
	both.Add(2)
	meet := func(<-chan struct{}) { both.Done(); both.Wait() }
	p := withSenders(t, &patient{name: "b", waits: meet}, &patient{name: "a", waits: meet})
	outcome, _ := Run(t.Context(), p, RunOptions{Dir: filepath.Join(t.TempDir(), "run"), Source: &made{intervals: seconds(2, 1e6, false)}})
	if !slices.Equal(outcome.Notices, []string{"a", "b"}) {
		t.Errorf("notices %q", outcome.Notices)
	}
	if n := len(outcome.Files); n != 3 || outcome.Files[0].Path != "a" || outcome.Files[1].Path != "b" {
		t.Errorf("files %v, want those of the senders before the summary", outcome.Files)
	}
}

// Who presses Ctrl-C while a run that is over waits for receivers waits for none of them, and the verdict stays.
func TestInterruptedWhileSendersEnd(t *testing.T) {
	interrupts := make(chan string, 1)
	p := withSenders(t, &patient{name: "a", waits: func(hurried <-chan struct{}) {
		interrupts <- "interrupted by a test"
		<-hurried
	}})
	outcome, _ := Run(t.Context(), p, RunOptions{
		Dir: filepath.Join(t.TempDir(), "run"), Source: &made{intervals: seconds(2, 1e6, false)}, Interrupts: interrupts,
	})
	if outcome.Result != report.ResultPassed || outcome.ExitCode != 0 {
		t.Errorf("%s, exit code %d (%s)", outcome.Result, outcome.ExitCode, outcome.Reason)
	}
}
