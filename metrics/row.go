package metrics

import (
	"cmp"
	"maps"
	"slices"
)

// Row is the traffic of one label within an interval, or the sum of many.
type Row struct {
	Execution string // "" in a row merged over executions
	Label     string // "" in a total
	Kind      Kind
	WarmUp    bool

	Finished    int64 // samples that ended, failed ones included
	Interrupted int64 // cut short; not in Finished, nor in Codes, Faults or any time
	Failed      int64
	Exchanges   int64         // on the wire; those of interrupted samples included, as are the bytes
	BytesOut    int64         // bytes sent
	BytesIn     int64         // bytes received
	Codes       map[int]int64 // finished samples by status; those without an answer under 0
	Faults      [FaultCount]int64
	FirstStart  int64 // ns since the start of the run at which the first one was scheduled, interrupted ones included
	LastEnd     int64 // ns since the start of the run at which the last finished one ended; valid when Finished > 0

	// Samples that were never sent have no times: they are in none of the distributions below but Users.
	Service    Series
	Response   Series          // in a closed model the same as Service, and then its histogram is shared
	Latency    Series          // start to first byte
	Connect    Series          // start to connection established (look-up and handshake included), of samples that made one
	Metric     Series          // of samples that carry one, in thousandths of its unit, so that the histogram counts whole units
	Phases     [PhaseCount]Sum // ns, over all finished samples that were sent; those that skip a phase count with 0
	ClientWork Sum             // ns, over all finished samples that were sent
	Users      Sum             // users alive, over finished samples; Max is the peak
}

// Phase is a part of a sample's time. They are disjoint and add up to the service time.
type Phase uint8

// The phases in order.
const (
	PhaseDNS Phase = iota
	PhaseConnect
	PhaseTLS
	PhaseSend
	PhaseWait
	PhaseReceive
	PhaseCount
)

// Empty says that the row counted nothing.
func (r *Row) Empty() bool { return r.Finished == 0 && r.Interrupted == 0 }

// FailRatio is the share of finished samples that failed, 0…1; 0 when none finished.
func (r *Row) FailRatio() float64 {
	if r.Finished == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Finished)
}

// Merge adds the other row's traffic; names, kind and warm-up mark stay those of r. The other row is not changed and
// shares nothing with r afterwards.
func (r *Row) Merge(o *Row) {
	if o.Empty() {
		return
	}
	if r.Empty() || o.FirstStart < r.FirstStart {
		r.FirstStart = o.FirstStart
	}
	if o.Finished > 0 && (r.Finished == 0 || o.LastEnd > r.LastEnd) {
		r.LastEnd = o.LastEnd
	}
	r.Finished += o.Finished
	r.Interrupted += o.Interrupted
	r.Failed += o.Failed
	r.Exchanges += o.Exchanges
	r.BytesOut += o.BytesOut
	r.BytesIn += o.BytesIn
	if r.Codes == nil && len(o.Codes) > 0 {
		r.Codes = make(map[int]int64, len(o.Codes))
	}
	for code, n := range o.Codes {
		r.Codes[code] += n
	}
	for f, n := range o.Faults {
		r.Faults[f] += n
	}
	r.mergeTimes(o)
	r.Latency.Merge(&o.Latency)
	r.Connect.Merge(&o.Connect)
	r.Metric.Merge(&o.Metric)
	for p := range r.Phases {
		r.Phases[p].Merge(&o.Phases[p])
	}
	r.ClientWork.Merge(&o.ClientWork)
	r.Users.Merge(&o.Users)
}

// mergeTimes merges service and response time, and keeps the histogram shared as long as the two are the same.
func (r *Row) mergeTimes(o *Row) {
	if r.sharesTimes() && o.sharesTimes() {
		r.Service.Merge(&o.Service)
		r.Response = r.Service
		return
	}
	if r.sharesTimes() {
		r.Response.Histogram = r.Service.Histogram.Clone()
	}
	r.Service.Merge(&o.Service)
	r.Response.Merge(&o.Response)
}

func (r *Row) sharesTimes() bool { return r.Service.Histogram == r.Response.Histogram }

// Clone returns an independent copy.
func (r *Row) Clone() *Row {
	c := *r
	c.Codes = maps.Clone(r.Codes)
	c.Service.Histogram = r.Service.Histogram.Clone()
	c.Response.Histogram = c.Service.Histogram
	if !r.sharesTimes() {
		c.Response.Histogram = r.Response.Histogram.Clone()
	}
	c.Latency.Histogram = r.Latency.Histogram.Clone()
	c.Connect.Histogram = r.Connect.Histogram.Clone()
	c.Metric.Histogram = r.Metric.Histogram.Clone()
	return &c
}

// rowKey is what tells the rows of an interval apart.
type rowKey struct {
	execution, label string
	kind             Kind
	warmUp           bool
}

func (r *Row) key() rowKey { return rowKey{r.Execution, r.Label, r.Kind, r.WarmUp} }

// compare is the order of rows in intervals: requests first, then by execution and label, measured ones before warm-up.
func (k rowKey) compare(o rowKey) int {
	return cmp.Or(
		cmp.Compare(k.kind, o.kind),
		cmp.Compare(k.execution, o.execution),
		cmp.Compare(k.label, o.label),
		compareBools(k.warmUp, o.warmUp),
	)
}

func compareRows(a, b *Row) int { return a.key().compare(b.key()) }

// sortRows sorts rows in place. They are large: those in order already, as of one source, are only looked at, and others
// moved once.
func sortRows(rows []Row) {
	order := make([]*Row, len(rows))
	for i := range rows {
		order[i] = &rows[i]
	}
	if slices.IsSortedFunc(order, compareRows) {
		return
	}
	slices.SortFunc(order, compareRows)
	sorted := make([]Row, len(rows))
	for i, r := range order {
		sorted[i] = *r
	}
	copy(rows, sorted)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
