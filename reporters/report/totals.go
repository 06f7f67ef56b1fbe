package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// Totals is what the machine-readable and the printed reports show of a run: one reading of the
// snapshot, so that no two reporters differ.
type Totals struct {
	Total      *metrics.Row   // request samples only, warm-up left out; never nil
	Labels     []*metrics.Row // merged over executions; by kind, then label; warm-up left out
	Window     time.Duration  // measured time, what rates are divided by
	Requests   Requests       // warm-up included, so that it reconciles
	Iterations Iterations
	Errors     []metrics.ErrorText // most frequent first
}

// Requests counts request samples of a whole run: Started = Finished + Interrupted.
type Requests struct {
	Started, Finished, Interrupted int64
	Failed                         int64
	Exchanges                      int64 // on the wire: redirects, retries and resources included
	WarmUp                         int64 // of Finished
}

// Reconciles tells whether the counts add up.
func (r Requests) Reconciles() bool { return r.Started == r.Finished+r.Interrupted }

// Iterations counts iterations: Scheduled = Started + dropped, Started = Finished + Interrupted.
type Iterations struct {
	Scheduled, Started, Finished, Interrupted int64
	Dropped                                   [metrics.DropCount]int64
}

// AllDropped is the number of iterations that were due and never started, whatever the reason.
func (i Iterations) AllDropped() int64 {
	var n int64
	for _, d := range i.Dropped {
		n += d
	}
	return n
}

// Reconciles tells whether the counts add up.
func (i Iterations) Reconciles() bool {
	return i.Scheduled == i.Started+i.AllDropped() && i.Started == i.Finished+i.Interrupted
}

// NewTotals reads a snapshot.
func NewTotals(snap *metrics.Snapshot) *Totals {
	t := &Totals{Total: &metrics.Row{}}
	start, end := snap.MeasuredWindow()
	t.Window = time.Duration(end - start)
	byLabel := map[labelKey]*metrics.Row{}
	for _, row := range snap.Rows() {
		if row.Kind == metrics.RequestKind {
			t.Requests.add(row)
		}
		if row.Kind == metrics.RequestKind || row.Kind == metrics.ResourceKind {
			t.Requests.Exchanges += row.Exchanges
		}
		if row.WarmUp {
			continue
		}
		if row.Kind == metrics.RequestKind {
			t.Total.Merge(row)
		}
		key := labelKey{row.Kind, row.Label}
		if byLabel[key] == nil {
			byLabel[key] = &metrics.Row{Label: row.Label, Kind: row.Kind}
			t.Labels = append(t.Labels, byLabel[key])
		}
		byLabel[key].Merge(row)
	}
	slices.SortFunc(t.Labels, func(a, b *metrics.Row) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Label, b.Label))
	})
	loads := snap.Loads()
	for i := range loads {
		t.Requests.Started += loads[i].RequestsStarted
		t.Iterations.add(&loads[i])
	}
	t.Errors = slices.Clone(snap.Errors())
	slices.SortStableFunc(t.Errors, func(a, b metrics.ErrorText) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Text, b.Text))
	})
	return t
}

type labelKey struct {
	kind  metrics.Kind
	label string
}

func (r *Requests) add(row *metrics.Row) {
	r.Finished += row.Finished
	r.Interrupted += row.Interrupted
	r.Failed += row.Failed
	if row.WarmUp {
		r.WarmUp += row.Finished
	}
}

func (i *Iterations) add(l *metrics.Load) {
	i.Scheduled += l.Scheduled
	i.Started += l.Started
	i.Finished += l.Finished
	i.Interrupted += l.Interrupted
	for reason, n := range l.Dropped {
		i.Dropped[reason] += n
	}
}

// minWindow is the shortest measured time for which a rate means something.
const minWindow = 100 * time.Millisecond

// Rate is n per second of the measured time; false when that is too short to say.
func (t *Totals) Rate(n int64) (float64, bool) {
	if t.Window < minWindow {
		return 0, false
	}
	return float64(n) / t.Window.Seconds(), true
}

// KindName is the word for what a row counts.
func KindName(k metrics.Kind) string {
	switch k {
	case metrics.TransactionKind:
		return "transaction"
	case metrics.IterationKind:
		return "iteration"
	case metrics.ResourceKind:
		return "resource"
	}
	return "request"
}

// Waited tells whether response times differ from service times: requests began later than they
// were due, which only an open model shows.
func Waited(row *metrics.Row) bool { return row.Response.Total != row.Service.Total }
