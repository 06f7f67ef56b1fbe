package html

import (
	"cmp"
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// Moments keeps the slowest seconds of a run. It is for one goroutine.
type Moments struct {
	seconds []Moment // at most keptMoments, slowest first
}

// keptMoments is more than are shown, since neighbours are joined.
const keptMoments = 60

// Moment is a slow stretch of a run, warm-up left out.
type Moment struct {
	First, Last int64   // seconds
	Finished    int64   // requests
	Failed      int64   //
	P99         float64 // ns, response time; of the slowest second in it
	Max         int64   // ns
	Label       string  // of the slowest request
	Users       int64   // alive at most
	Generator   bool    // the generator itself was beyond its limits
}

// Add looks whether the interval belongs to the slowest ones.
func (m *Moments) Add(iv *metrics.Interval) {
	var total metrics.Row
	moment := Moment{First: iv.Second, Last: iv.Second}
	for i := range iv.Rows {
		r := &iv.Rows[i]
		if r.Kind != metrics.RequestKind || r.WarmUp || r.Finished == 0 {
			continue
		}
		total.Merge(r)
		if r.Response.Max > moment.Max || moment.Label == "" {
			moment.Max, moment.Label = r.Response.Max, r.Label
		}
	}
	if total.Finished == 0 {
		return
	}
	moment.Finished, moment.Failed, moment.P99 = total.Finished, total.Failed, total.Response.Quantile(99)
	for i := range iv.Load {
		moment.Users += iv.Load[i].UsersPeak
	}
	moment.Generator = iv.Health.Limited()
	at, _ := slices.BinarySearchFunc(m.seconds, moment, compareMoments)
	if at == keptMoments {
		return
	}
	m.seconds = slices.Insert(m.seconds, at, moment)
	m.seconds = m.seconds[:min(len(m.seconds), keptMoments)]
}

func compareMoments(a, b Moment) int {
	return cmp.Or(cmp.Compare(b.P99, a.P99), cmp.Compare(b.Max, a.Max), cmp.Compare(a.First, b.First))
}

// Slowest returns the n slowest moments, slowest first; seconds next to each other that are alike are one.
func (m *Moments) Slowest(n int) []Moment {
	inOrder := slices.Clone(m.seconds)
	slices.SortFunc(inOrder, func(a, b Moment) int { return cmp.Compare(a.First, b.First) })
	var joined []Moment
	for _, next := range inOrder {
		if k := len(joined) - 1; k >= 0 && next.First <= joined[k].Last+1 && joined[k].like(next) {
			joined[k].join(next)
			continue
		}
		joined = append(joined, next)
	}
	slices.SortFunc(joined, compareMoments)
	return joined[:min(len(joined), n)]
}

// like reports whether a second belongs to a moment: no more than twice as slow or as fast as its slowest, and the same is true of
// the generator. A slow second among others stands alone, and what held for one second is not said of a minute.
func (m *Moment) like(o Moment) bool {
	return m.Generator == o.Generator && o.P99 <= 2*m.P99 && m.P99 <= 2*o.P99
}

func (m *Moment) join(o Moment) {
	m.Last = max(m.Last, o.Last)
	m.Finished += o.Finished
	m.Failed += o.Failed
	m.P99 = max(m.P99, o.P99)
	if o.Max > m.Max {
		m.Max, m.Label = o.Max, o.Label
	}
	m.Users = max(m.Users, o.Users)
	m.Generator = m.Generator || o.Generator
}
