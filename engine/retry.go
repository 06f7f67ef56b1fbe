package engine

import (
	"slices"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// retryStep repeats its steps while they fail. Only the last attempt is reported; what earlier ones sent counts in its exchanges.
type retryStep struct {
	attempts int
	backoff  time.Duration // before the second attempt; doubled each time
	statuses *statusSet
	faults   [metrics.FaultCount]bool
	any      bool // every failure is worth another attempt
	do       []step
}

// maxBackoff bounds the doubling.
const maxBackoff = 5 * time.Minute

func (c *compiler) retryStep(in *config.Retry, sc *scope) step {
	s := &retryStep{attempts: max(in.Attempts, 1), backoff: in.Backoff, any: len(in.On) == 0, statuses: new(statusSet), do: c.steps(in.Do, sc)}
	for _, word := range in.On {
		if fault, ok := metrics.ParseFault(word); ok {
			s.faults[fault] = true
		} else if !s.statuses.addPattern(word) {
			c.list.Errorf("bad-retry", in.Pos, in.Path, "%q is neither a status nor a fault", word).
				WithHint("write statuses such as 503 or 5xx, or faults such as reset, timeout or connect-refused")
		}
	}
	return s
}

// attempt holds the samples of one attempt until it is known whether it was the last.
type attempt struct {
	step   *retryStep
	held   []heldSample
	fail   bool // a sample failed in a way that is worth another attempt
	failed bool // of its user, at its end
}

// sent reports whether the attempt made a request.
func (a *attempt) sent() bool {
	return slices.ContainsFunc(a.held, func(h heldSample) bool { return h.sample.Kind == metrics.RequestKind })
}

// exchanges is how many the requests of the attempt made.
func (a *attempt) exchanges() (n uint16) {
	for i := range a.held {
		if s := &a.held[i].sample; s.Kind == metrics.RequestKind {
			n += s.Exchanges
		}
	}
	return n
}

type heldSample struct {
	sample metrics.Sample
	text   string
}

func (a *attempt) take(_ *user, s *metrics.Sample, text string) {
	a.held = append(a.held, heldSample{*s, text})
	if s.Flags&metrics.Failed != 0 && s.Kind == metrics.RequestKind {
		a.fail = a.fail || a.step.any || a.step.faults[s.Fault] || s.Fault == metrics.FaultStatus && a.step.statuses.has(int(s.Status))
	}
}

func (s *retryStep) run(u *user) flow {
	parent, failedBefore := u.sink, u.failed
	var carried uint16
	var before *attempt
	backoff := s.backoff
	for n := 1; ; n++ {
		a := &attempt{step: s}
		u.sink = a
		u.holding++
		traces := u.heldTraces
		if u.trace != nil {
			u.heldTraces = new([]Trace)
		}
		f := u.runSteps(s.do)
		u.holding--
		u.sink = parent
		again := a.fail && n < s.attempts && f == flowNext
		if u.trace != nil {
			var held *[]Trace
			held, u.heldTraces = u.heldTraces, traces
			for _, t := range *held {
				t.Retried = t.Retried || again
				u.show(t)
			}
		}
		if again && backoff > 0 && !u.run.engine.opts.Once {
			if !u.sleepUntil(u.now() + int64(backoff)) {
				again, f = false, flowEnd
			}
			backoff = min(2*backoff, maxBackoff)
		}
		if again {
			carried += a.exchanges()
			a.failed, u.failed = u.failed, failedBefore
			before = a
			continue
		}
		if f == flowEnd && !a.sent() && before != nil { // the plan has ended before it sent anything: the one before was the last
			a, u.failed = before, before.failed
			carried -= a.exchanges()
		}
		for i := range a.held {
			h := &a.held[i]
			if h.sample.Kind == metrics.RequestKind {
				h.sample.Exchanges += carried
				carried = 0
			}
			u.release(parent, &h.sample, h.text)
		}
		u.unlisted += carried // the last attempt had no request
		return f
	}
}
