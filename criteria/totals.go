package criteria

import (
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// totals is the run so far as cumulative rules see it.
type totals struct {
	rows   []*metrics.Row
	load   map[string]*load // by execution
	window float64          // seconds that were measured
	health health
	sums   map[scope]*metrics.Row
}

func newTotals(snap *metrics.Snapshot, h health) *totals {
	start, end := snap.MeasuredWindow()
	t := &totals{
		rows: snap.Rows(), window: float64(end-start) / 1e9, health: h,
		sums: map[scope]*metrics.Row{}, load: map[string]*load{},
	}
	loads := snap.Loads()
	for i := range loads {
		name := loads[i].Execution
		if t.load[name] == nil {
			t.load[name] = &load{}
		}
		t.load[name].add(&loads[i])
	}
	return t
}

func (t *totals) row(sc scope) *metrics.Row {
	if r, known := t.sums[sc]; known {
		return r
	}
	r := sc.merged(slices.Values(t.rows))
	t.sums[sc] = r
	return r
}

func (t *totals) loads(sc scope) load {
	var sum load
	for name, l := range t.load {
		if sc.execution != "" && name != sc.execution {
			continue
		}
		sum.known = true
		sum.dropped += l.dropped
		sum.started += l.started
		sum.scheduled += l.scheduled
	}
	return sum
}

// value gives a subject's figure of the whole run; false when there is no data for it.
func (t *totals) value(s subject, sc scope) (float64, bool) {
	switch s.kind {
	case dropped:
		l := t.loads(sc)
		return float64(l.dropped), l.known
	case achieved:
		l := t.loads(sc)
		return ratio(float64(l.started), float64(l.scheduled)), l.scheduled > 0
	case generator:
		if s.percent {
			return 100 * t.health.share(), t.health.seconds > 0
		}
		return float64(t.health.suspects), t.health.seconds > 0
	case processor:
		return 100 * t.health.cpu / float64(max(1, t.health.seconds)), t.health.seconds > 0
	}
	return s.ofRow(t.row(sc))
}

// share is the part of the seconds in which the generator was the bottleneck, 0…1.
func (h health) share() float64 { return float64(h.suspects) / float64(max(1, h.seconds)) }
