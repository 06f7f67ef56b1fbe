package criteria

import (
	"time"

	"github.com/stacrun/stacrun/config"
)

// point is the value of one second. A ratio keeps its parts, so that a window can add them up.
type point struct {
	second      int64
	value       float64
	part, whole float64
}

// window decides when a condition has held for long enough. The logics follow Taurus:
//
//   - for T: each second satisfies, T seconds in a row. A second without data neither satisfies nor
//     resets, and a gap counts towards T.
//   - within T: the seconds of the last T together satisfy; already before T seconds have passed.
//   - over T: the same, but only once T seconds have passed since the first one with data.
//
// "Together" is the sum of counts, Σ part / Σ whole for a ratio, and for all else the unweighted mean
// of the seconds' values: of their percentiles too, which is what Taurus files were tuned on. A
// percentile of the distribution over the run is what cumulative and assert rules give.
//
// T is rounded up to whole seconds.
type window struct {
	logic     string
	length    int64 // seconds
	gathering gathering
	first     int64 // second of the first point; -1: none yet
	since     int64 // for: first second of the present streak; -1: none
	points    []point
}

func newWindow(c config.Criterion, g gathering) *window {
	length := int64((c.Timeframe + time.Second - 1) / time.Second)
	return &window{logic: c.Logic, length: max(1, length), gathering: g, first: -1, since: -1}
}

// step is what a window says after a second.
type step struct {
	triggered bool
	value     float64 // of the second (for) or of the window
	since     int64   // first second of the triggering or filling window
	held      int64   // seconds
	progress  float64 // 0…1
}

// add folds the value of a second in; seconds come in rising order.
func (w *window) add(p point, satisfied func(float64) bool) step {
	if w.first < 0 {
		w.first = p.second
	}
	if w.logic == "within" || w.logic == "over" {
		return w.slide(p, satisfied)
	}
	if !satisfied(p.value) {
		w.since = -1
		return step{value: p.value}
	}
	if w.since < 0 {
		w.since = p.second
	}
	held := p.second - w.since + 1
	return step{
		triggered: held >= w.length, value: p.value, since: w.since, held: held,
		progress: min(1, float64(held)/float64(w.length)),
	}
}

func (w *window) slide(p point, satisfied func(float64) bool) step {
	from := p.second - w.length + 1
	kept := w.points[:0]
	for _, old := range w.points {
		if old.second >= from {
			kept = append(kept, old)
		}
	}
	w.points = append(kept, p)
	begin := max(from, w.first)
	s := step{value: w.together(), since: begin, held: p.second - begin + 1}
	s.progress = min(1, float64(s.held)/float64(w.length))
	s.triggered = satisfied(s.value) && (w.logic == "within" || s.held >= w.length)
	return s
}

func (w *window) together() float64 {
	var sum, part, whole float64
	for _, p := range w.points {
		sum += p.value
		part += p.part
		whole += p.whole
	}
	switch w.gathering {
	case gatherSum:
		return sum
	case gatherRatio:
		return ratio(part, whole)
	}
	return sum / float64(len(w.points))
}

// ratio is part of whole in percent; nothing of nothing is all of it.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * part / whole
}
