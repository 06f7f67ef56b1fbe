package outlet

import (
	"maps"
	"sync"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Ledger sums intervals up, for receivers that want totals since the start of the run. Adding never
// waits for one who reads: what comes in meanwhile is kept, and counted in by whoever comes next.
type Ledger struct {
	run report.Run

	mu       sync.Mutex // guards pending and verdicts; never held for long
	pending  []*metrics.Interval
	verdicts []criteria.Verdict

	reading  sync.Mutex // guards what follows
	snapshot *metrics.Snapshot
	health   map[string]metrics.Health // of the last interval, by source
}

// NewLedger makes the ledger of a run.
func NewLedger(run report.Run) *Ledger {
	return &Ledger{run: run, snapshot: metrics.NewSnapshot(), health: map[string]metrics.Health{}}
}

// Add takes an interval, which nobody changes any more, and the present verdicts.
func (l *Ledger) Add(iv *metrics.Interval, verdicts []criteria.Verdict) {
	l.mu.Lock()
	l.pending = append(l.pending, iv)
	l.mu.Unlock()
	l.Judge(verdicts)
	if l.reading.TryLock() {
		l.fold()
		l.reading.Unlock()
	}
}

// Judge replaces the verdicts; at the end of a run they say more than with its last interval.
func (l *Ledger) Judge(verdicts []criteria.Verdict) {
	l.mu.Lock()
	l.verdicts = append(l.verdicts[:0:0], verdicts...)
	l.mu.Unlock()
}

// fold counts in what is pending. The caller holds reading.
func (l *Ledger) fold() []criteria.Verdict {
	l.mu.Lock()
	pending, verdicts := l.pending, l.verdicts
	l.pending = nil
	l.mu.Unlock()
	for _, iv := range pending {
		l.snapshot.Add(iv)
		l.health[iv.Source] = iv.Health
	}
	return verdicts
}

// Read gives all figures as they are now; they belong to the caller. Shape tells how histograms are
// to be given.
func (l *Ledger) Read(shape Shape) []Family {
	l.reading.Lock()
	defer l.reading.Unlock()
	verdicts := l.fold()
	return families(l.run, l.snapshot, maps.Clone(l.health), verdicts, shape)
}
