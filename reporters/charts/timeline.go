package charts

import (
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// Timeline folds intervals into slots of equal width. Slots become wider as a run gets longer, by
// merging neighbours and never by leaving any out, so that a timeline of days takes no more memory
// than one of minutes. Intervals may come in any order. It is for one goroutine.
type Timeline struct {
	slots []*Slot // by number; nil where nothing was seen
	level int     // number of widenings
	width int64   // seconds
	last  int64   // ns since the start of the run at which the last sample ended
}

// maxKeptSlots is how many slots a timeline holds before it widens them.
const maxKeptSlots = 480

// Slot is what happened in one stretch of a run, warm-up included.
type Slot struct {
	Start time.Duration // since the start of the run
	Width time.Duration // of time that the run covers: the last slot ends with the run

	Total  metrics.Row    // requests, without codes, phases, latency and connect times
	WarmUp int64          // how many of the finished ones were warm-up
	Health metrics.Health // the worst of each figure

	Closed, Open         bool    // executions of which model had load
	PlannedUsers         float64 // mean of the closed executions' plans
	Users                float64 // mean of those alive at the ends of the seconds, all executions
	PlannedRate          float64 // iterations per second, mean of the open executions' plans
	Started, Dropped     int64   // iterations of open executions
	intervals            int64   // that carried load, over which the means are taken
	sumPlanned, sumUsers float64
	sumRate              float64
}

// NewTimeline returns an empty timeline with slots of one second.
func NewTimeline() *Timeline { return &Timeline{width: 1} }

// widenings say by what slots grow, over and over: 1, 2, 10, 20, 60, 120, 600 seconds …, so that
// they stay round.
func widenings() []int64 { return []int64{2, 5, 2, 3, 2, 5, 2, 3} }

// Add counts an interval in; there should be one per second, all sources together. The interval is
// not kept.
func (t *Timeline) Add(iv *metrics.Interval) {
	s := t.slot(max(iv.Second, 0))
	for i := range iv.Rows {
		r := iv.Rows[i] // a copy, to leave out what no time line shows
		t.last = max(t.last, r.LastEnd)
		if r.Kind != metrics.RequestKind {
			continue
		}
		r.Codes, r.Latency, r.Connect, r.Metric = nil, metrics.Series{}, metrics.Series{}, metrics.Series{}
		s.Total.Merge(&r)
		if r.WarmUp {
			s.WarmUp += r.Finished
		}
	}
	if len(iv.Load) > 0 {
		s.intervals++
	}
	for i := range iv.Load {
		s.addLoad(&iv.Load[i])
	}
	s.addHealth(&iv.Health)
}

func (s *Slot) addLoad(l *metrics.Load) {
	s.sumUsers += float64(l.Users)
	if !l.Open {
		s.Closed = true
		s.sumPlanned += l.Planned
		return
	}
	s.Open = true
	s.sumRate += l.Planned
	s.Started += l.Started
	for _, n := range l.Dropped {
		s.Dropped += n
	}
}

func (s *Slot) addHealth(h *metrics.Health) {
	s.Health.CPUShare = max(s.Health.CPUShare, h.CPUShare)
	s.Health.SchedulerLagP99 = max(s.Health.SchedulerLagP99, h.SchedulerLagP99)
	s.Health.GCPauseMax = max(s.Health.GCPauseMax, h.GCPauseMax)
	s.Health.PacerLateP99 = max(s.Health.PacerLateP99, h.PacerLateP99)
	s.Health.CollectorLag = max(s.Health.CollectorLag, h.CollectorLag)
	s.Health.Stall = max(s.Health.Stall, h.Stall)
	s.Health.MemoryBytes = max(s.Health.MemoryBytes, h.MemoryBytes)
}

func (s *Slot) merge(o *Slot) {
	s.Total.Merge(&o.Total)
	s.WarmUp += o.WarmUp
	s.addHealth(&o.Health)
	s.Closed, s.Open = s.Closed || o.Closed, s.Open || o.Open
	s.Started += o.Started
	s.Dropped += o.Dropped
	s.intervals += o.intervals
	s.sumPlanned += o.sumPlanned
	s.sumUsers += o.sumUsers
	s.sumRate += o.sumRate
}

// slot returns the slot of a second, widening all slots until there is room for it.
func (t *Timeline) slot(second int64) *Slot {
	for second/t.width >= maxKeptSlots {
		factors := widenings()
		factor := factors[t.level%len(factors)]
		t.slots = grouped(t.slots, factor)
		t.width *= factor
		t.level++
	}
	at := int(second / t.width)
	for len(t.slots) <= at {
		t.slots = append(t.slots, nil)
	}
	if t.slots[at] == nil {
		t.slots[at] = &Slot{}
	}
	return t.slots[at]
}

// grouped merges each n neighbours into the first of them, in place.
func grouped(slots []*Slot, n int64) []*Slot {
	var out []*Slot
	for i, s := range slots {
		if int64(i)%n == 0 {
			out = append(out, nil)
		}
		last := len(out) - 1
		switch {
		case s == nil:
		case out[last] == nil:
			out[last] = s
		default:
			out[last].merge(s)
		}
	}
	return out
}

// Slots returns at most n slots of equal, round width in order of time, from the start of the run
// on and without gaps. They share nothing with the timeline, so that it may go on.
func (t *Timeline) Slots(n int) []Slot {
	if len(t.slots) == 0 || n <= 0 {
		return nil
	}
	factor := int64(1)
	for !fits(int64(len(t.slots)), factor, int64(n)) || !round(factor*t.width) {
		factor++
	}
	width := time.Duration(factor*t.width) * time.Second
	count := (int64(len(t.slots)) + factor - 1) / factor
	out := make([]Slot, count)
	for i, s := range t.slots {
		if s != nil {
			out[int64(i)/factor].merge(s)
		}
	}
	for i := range out {
		s := &out[i]
		s.Start, s.Width = time.Duration(i)*width, width
		if s.intervals > 0 {
			k := float64(s.intervals)
			s.PlannedUsers, s.Users, s.PlannedRate = s.sumPlanned/k, s.sumUsers/k, s.sumRate/k
		}
	}
	for len(out) > 1 && out[len(out)-1].idle(t.last) {
		out = out[:len(out)-1]
	}
	final := &out[len(out)-1]
	if covered := time.Duration(t.last) - final.Start; covered > 0 && covered < width {
		final.Width = covered
	}
	return out
}

// idle says that nothing was going on any more: the last interval of a run may hold nothing but the
// news that it has ended.
func (s *Slot) idle(last int64) bool {
	return int64(s.Start) >= last && s.Total.Empty() && s.Users == 0 && s.Started == 0 && s.Dropped == 0
}

func fits(slots, factor, n int64) bool { return (slots+factor-1)/factor <= n }

// round says whether slots of so many seconds are easy to read; wide ones are as they come.
func round(seconds int64) bool {
	switch seconds {
	case 1, 2, 4, 5, 10, 15, 20, 30, 40, 60, 120, 180, 240, 300, 600, 900, 1200, 1800, 2400, 3600:
		return true
	}
	return seconds > 3600 && seconds%1200 == 0
}

// Rate is n per second of the slot; false when the slot covers too little of the run to tell.
func (s *Slot) Rate(n int64) (perSecond float64, ok bool) {
	if s.Width < metrics.MinWindow {
		return 0, false
	}
	return float64(n) / s.Width.Seconds(), true
}

// End is the end of the slot since the start of the run.
func (s *Slot) End() time.Duration { return s.Start + s.Width }
