package metrics

import (
	"cmp"
	"fmt"
	"slices"
)

// lateSource is by how many seconds the interval of one source may lag behind those of others without being taken for a second of its own.
const lateSource = 120

// peakTracker finds the most users alive at once over all sources: per second they add up.
type peakTracker struct {
	seconds map[int64]int64
	last    int64
	peak    int64
}

func (p *peakTracker) add(second, users int64) {
	if p.seconds == nil {
		p.seconds = map[int64]int64{}
	}
	p.seconds[second] += users
	p.peak = max(p.peak, p.seconds[second])
	if second > p.last {
		p.last = second
		if len(p.seconds) > 2*lateSource {
			for old := range p.seconds {
				if old < second-lateSource {
					delete(p.seconds, old)
				}
			}
		}
	}
}

func (s *Snapshot) addLoad(l *Load) {
	have := s.loads[l.Execution]
	if have == nil {
		c := *l
		s.loads[l.Execution] = &c
		s.peaks[l.Execution] = &peakTracker{}
	} else {
		have.Merge(l)
	}
	if !l.WarmingUp {
		s.peaks[l.Execution].add(l.Second, l.UsersPeak)
	}
}

// Loads returns the load of each execution, sorted by name: counters over the whole run, gauges of its last second, and in UsersPeak
// the most users alive at once behind the warm-up.
func (s *Snapshot) Loads() []Load {
	out := make([]Load, 0, len(s.loads))
	for name, l := range s.loads {
		c := *l
		c.UsersPeak = s.peaks[name].peak
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Load) int { return cmp.Compare(a.Execution, b.Execution) })
	return out
}

// Counts are the figures of a run that must add up, with the warm-up, in it and behind it:
// scheduled = started + dropped, and started = finished + interrupted.
type Counts struct {
	Scheduled   int64 // iterations only
	Dropped     int64 // iterations only
	Started     int64
	Finished    int64
	Interrupted int64
}

// Iterations returns the counts of iterations, all executions together, warm-up included.
func (s *Snapshot) Iterations() Counts { return s.IterationsOf(false).plus(s.IterationsOf(true)) }

// IterationsOf returns the counts of iterations that fell due in the warm-up, or behind it, all executions together.
func (s *Snapshot) IterationsOf(warmUp bool) Counts {
	var c Counts
	for _, l := range s.loads {
		p := l.Part(warmUp)
		c.Scheduled += p.Scheduled
		c.Started += p.Started
		c.Finished += p.Finished
		c.Interrupted += p.Interrupted
		for _, n := range p.Dropped {
			c.Dropped += n
		}
	}
	return c
}

// Requests returns the counts of requests, warm-up included: started as the generator counted them, finished and interrupted as they
// were recorded.
func (s *Snapshot) Requests() Counts { return s.RequestsOf(false).plus(s.RequestsOf(true)) }

// RequestsOf is [Snapshot.Requests] of the warm-up alone, or of what follows it.
func (s *Snapshot) RequestsOf(warmUp bool) Counts {
	var c Counts
	for _, l := range s.loads {
		c.Started += l.Part(warmUp).RequestsStarted
	}
	for key, r := range s.rows {
		if key.kind == RequestKind && key.warmUp == warmUp {
			c.Finished += r.Finished
			c.Interrupted += r.Interrupted
		}
	}
	return c
}

func (c Counts) plus(o Counts) Counts {
	return Counts{c.Scheduled + o.Scheduled, c.Dropped + o.Dropped, c.Started + o.Started, c.Finished + o.Finished, c.Interrupted + o.Interrupted}
}

// Dropped returns the dropped iterations by reason, all executions together, warm-up included.
func (s *Snapshot) Dropped() [DropCount]int64 {
	out := s.DroppedOf(false)
	for d, n := range s.DroppedOf(true) {
		out[d] += n
	}
	return out
}

// DroppedOf returns the iterations that were dropped and fell due in the warm-up, or behind it, by reason, all executions together.
func (s *Snapshot) DroppedOf(warmUp bool) [DropCount]int64 {
	var out [DropCount]int64
	for _, l := range s.loads {
		for d, n := range l.Part(warmUp).Dropped {
			out[d] += n
		}
	}
	return out
}

// Reconcile says in one sentence where the counts of a run that has ended do not add up; nil when they do.
func (s *Snapshot) Reconcile() error {
	i, r := s.Iterations(), s.Requests()
	switch {
	case i.Scheduled != i.Started+i.Dropped:
		return fmt.Errorf("iterations do not add up: %d scheduled, but %d started + %d dropped", i.Scheduled, i.Started, i.Dropped)
	case i.Started != i.Finished+i.Interrupted:
		return fmt.Errorf("iterations do not add up: %d started, but %d finished + %d interrupted", i.Started, i.Finished, i.Interrupted)
	case r.Started != r.Finished+r.Interrupted:
		return fmt.Errorf("requests do not add up: %d started, but %d finished + %d interrupted", r.Started, r.Finished, r.Interrupted)
	}
	return nil
}
