package engine

import "github.com/stacrun/stacrun/metrics"

// sink is where the samples of some steps go instead of the recorder.
type sink interface {
	take(u *user, s *metrics.Sample, text string)
}

// deliver hands a finished sample to the innermost sink, or to the recorder.
func (u *user) deliver(to sink, s *metrics.Sample, text string) {
	if to != nil {
		to.take(u, s, text)
		return
	}
	u.emit(s, text)
}

// release delivers a sample that had been held back: it counts as started only now.
func (u *user) release(to sink, s *metrics.Sample, text string) {
	if u.holding == 0 && s.Kind == metrics.RequestKind {
		u.run.load.Part(s.Flags&metrics.WarmUp != 0).RequestStarted(u.number)
	}
	u.deliver(to, s, text)
}
