package report

import (
	"github.com/stacrun/stacrun/metrics"
)

// Totals is what the machine-readable and the printed reports show of a run: one reading of the
// snapshot, so that no two reporters differ.
type Totals struct {
	Total      *metrics.Row   // request samples only, warm-up left out; never nil
	Labels     []*metrics.Row // merged over executions; by kind, then label; warm-up left out
	Requests   metrics.Counts // warm-up included, so that it reconciles
	Iterations metrics.Counts
	Dropped    [metrics.DropCount]int64 // iterations by reason
	Failed     int64                    // of Requests.Finished
	Exchanges  int64                    // on the wire: redirects, retries, resources and warm-up included

	// What of the figures above is of the warm-up: no criterion and no other figure counts it.
	RequestsWarm   metrics.Counts
	IterationsWarm metrics.Counts
	DroppedWarm    [metrics.DropCount]int64
	FailedWarm     int64
	ExchangesWarm  int64

	Errors []metrics.ErrorText // most frequent first
	Health metrics.HealthSummary

	snap *metrics.Snapshot
}

// Seconds is the number of seconds from the first to the last one with results.
func (t *Totals) Seconds() int64 {
	first, last, _ := t.snap.Seconds()
	return last - first
}

// NewTotals reads a snapshot; nil is a run without any interval.
func NewTotals(snap *metrics.Snapshot) *Totals {
	if snap == nil {
		snap = metrics.NewSnapshot()
	}
	t := &Totals{
		Total: snap.Total(), Labels: snap.Rows(), Requests: snap.Requests(), Iterations: snap.Iterations(),
		RequestsWarm: snap.RequestsOf(true), IterationsWarm: snap.IterationsOf(true), DroppedWarm: snap.DroppedOf(true),
		Dropped: snap.Dropped(), Errors: snap.Errors(), Health: snap.Health(), snap: snap,
	}
	for _, row := range t.Labels {
		t.count(row)
	}
	failed, exchanges := t.Failed, t.Exchanges
	for _, row := range snap.WarmUpRows() {
		t.count(row)
	}
	t.FailedWarm, t.ExchangesWarm = t.Failed-failed, t.Exchanges-exchanges
	return t
}

// count adds a row to the figures of the wire. Transactions and resources only repeat what their requests counted, and
// iterations carry the exchanges of requests that stand in no row, as their labels are ignored.
func (t *Totals) count(row *metrics.Row) {
	switch row.Kind {
	case metrics.RequestKind:
		t.Failed += row.Failed
		t.Exchanges += row.Exchanges
	case metrics.IterationKind:
		t.Exchanges += row.Exchanges
	}
}

// Rate is how many samples of a row of these totals finished per second of the measured time of its executions; false when that is
// too short to say. See [metrics.Snapshot.Rate].
func (t *Totals) Rate(row *metrics.Row) (float64, bool) { return t.snap.Rate(row) }

// PerSecond is n per second of the measured time of the executions, all when none is named; false when that is too short to say.
func (t *Totals) PerSecond(n int64, executions ...string) (float64, bool) {
	return t.snap.PerSecond(n, executions...)
}

// Loads is what each execution was asked for and did over the whole run, by name.
func (t *Totals) Loads() []metrics.Load { return t.snap.Loads() }

// Reconcile says in one sentence where the counts do not add up; nil when they do.
func (t *Totals) Reconcile() error { return t.snap.Reconcile() }

// Example gives the most frequent text of a fault of a label, "" when none was kept.
func (t *Totals) Example(label string, fault metrics.Fault) string {
	for _, e := range t.Errors {
		if e.Label == label && e.Fault == fault && !e.WarmUp {
			return e.Text
		}
	}
	return ""
}

// Waited tells whether response times differ from service times somewhere: requests began later
// than they were due, which only an open model shows.
func (t *Totals) Waited() bool {
	for _, row := range t.Labels {
		if row.Response.Total != row.Service.Total {
			return true
		}
	}
	return false
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
