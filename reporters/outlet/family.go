package outlet

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Type is what kind of figure a family is.
type Type uint8

// The types.
const (
	Counter Type = iota // grows from the start of the run
	Gauge
	Histogram
)

// Units are UCUM's words, as OpenTelemetry uses them. Those in braces are counts of something.
const (
	Seconds    = "s"
	Bytes      = "By"
	Ratio      = "1"
	Requests   = "{request}"
	Iterations = "{iteration}"
	Users      = "{user}"
	PerSecond  = "{iteration}/s"
)

// Family is one figure with all its values. Names are of words with dots and underscores, such as
// "request.response_time"; each protocol writes them its own way.
type Family struct {
	Name   string
	Unit   string
	Help   string
	Type   Type
	Points []Point
}

// Point is one value.
type Point struct {
	Labels       []Label
	Value        float64
	Distribution *Distribution // of a [Histogram]
}

// Label is a name with its value, such as execution or label.
type Label struct{ Name, Value string }

// book collects families in the order in which they are first met.
type book struct {
	shape Shape
	at    map[string]int
	list  []Family
}

func (b *book) family(kind Type, name, unit, help string) *Family {
	at, known := b.at[name]
	if !known {
		at = len(b.list)
		b.at[name] = at
		b.list = append(b.list, Family{Name: name, Unit: unit, Help: help, Type: kind})
	}
	return &b.list[at]
}

func (f *Family) add(value float64, labels ...Label) {
	f.Points = append(f.Points, Point{Labels: labels, Value: value})
}

func families(run report.Run, snap *metrics.Snapshot, health map[string]metrics.Health, verdicts []criteria.Verdict, shape Shape) []Family {
	b := &book{shape: shape, at: map[string]int{}}
	b.family(Gauge, "run.info", "", "The run: always 1.").
		add(1, Label{"name", run.Name}, Label{"seed", strconv.FormatUint(run.Seed, 10)}, Label{"version", run.Version})
	for _, rows := range [][]*metrics.Row{snap.ExecutionRows(), snap.WarmUpRows()} {
		for _, row := range rows {
			b.row(row)
		}
	}
	for _, load := range snap.Loads() {
		b.load(&load)
	}
	for _, source := range slices.Sorted(maps.Keys(health)) {
		b.health(source, health[source])
	}
	b.verdicts(verdicts)
	slices.SortFunc(b.list, func(x, y Family) int { return cmp.Compare(x.Name, y.Name) })
	return b.list
}

// row tells the traffic of one label. Requests, transactions, iterations and embedded resources have
// names of their own, so that no sum counts anything twice.
func (b *book) row(row *metrics.Row) {
	kind := report.KindName(row.Kind)
	labels := []Label{{"execution", row.Execution}, {"label", row.Label}, {"warm_up", strconv.FormatBool(row.WarmUp)}}
	with := func(name, value string) []Label { return append(slices.Clone(labels), Label{name, value}) }
	wire := row.Kind == metrics.RequestKind || row.Kind == metrics.ResourceKind
	switch {
	case wire:
		f := b.family(Counter, kind+"s", "{"+kind+"}", "Finished "+kind+"s by status code, 0 without an answer.")
		for _, code := range slices.Sorted(maps.Keys(row.Codes)) {
			if n := row.Codes[code]; n > 0 {
				f.add(float64(n), with("code", strconv.Itoa(code))...)
			}
		}
	case row.Kind == metrics.TransactionKind:
		b.family(Counter, kind+"s", "{"+kind+"}", "Finished transactions.").add(float64(row.Finished), labels...)
	}
	b.family(Counter, kind+".failures", "{"+kind+"}", "Finished "+kind+"s that failed.").add(float64(row.Failed), labels...)
	b.family(Counter, kind+".interruptions", "{"+kind+"}", "The "+kind+"s that the end of the run cut short.").add(float64(row.Interrupted), labels...)
	for fault, n := range row.Faults {
		if n > 0 {
			b.family(Counter, kind+".faults", "{"+kind+"}", "Failed "+kind+"s by what went wrong.").
				add(float64(n), with("fault", metrics.Fault(fault).String())...)
		}
	}
	b.series(kind+".service_time", "Time from the start of a "+kind+" to its end.", &row.Service, labels)
	b.series(kind+".response_time", "Time from when a "+kind+" was due to its end.", &row.Response, labels)
	if !wire {
		return
	}
	b.family(Counter, kind+".exchanges", "{exchange}", "Requests on the wire: redirects and retries of "+kind+"s included.").add(float64(row.Exchanges), labels...)
	b.family(Counter, kind+".sent", Bytes, "Bytes sent by "+kind+"s.").add(float64(row.BytesOut), labels...)
	b.family(Counter, kind+".received", Bytes, "Bytes received by "+kind+"s.").add(float64(row.BytesIn), labels...)
	b.series(kind+".first_byte_time", "Time from the start of a "+kind+" to the first byte of its answer.", &row.Latency, labels)
	b.series(kind+".connect_time", "Time to make a connection, of "+kind+"s that made one.", &row.Connect, labels)
}

func (b *book) series(name, help string, series *metrics.Series, labels []Label) {
	if series.Count == 0 {
		return
	}
	f := b.family(Histogram, name, Seconds, help)
	f.Points = append(f.Points, Point{Labels: labels, Distribution: b.shape.of(series)})
}

// load tells what the generator wanted and did for an execution.
func (b *book) load(l *metrics.Load) {
	execution := Label{"execution", l.Execution}
	b.part(l, false)
	if l.WarmUp != (metrics.LoadPart{}) {
		b.part(l, true)
	}
	b.family(Gauge, "users", Users, "Virtual users alive.").add(float64(l.Users), execution)
	if l.Open {
		b.family(Gauge, "arrivals.planned", PerSecond, "Iterations per second that the plan asks for.").add(l.Planned, execution)
		return
	}
	b.family(Gauge, "users.planned", Users, "Virtual users that the plan asks for.").add(l.Planned, execution)
}

// part tells what of a load fell due in the warm-up, or behind it.
func (b *book) part(l *metrics.Load, warmUp bool) {
	p := l.Part(warmUp)
	labels := []Label{{"execution", l.Execution}, {"warm_up", strconv.FormatBool(warmUp)}}
	count := func(name, unit, help string, n int64) { b.family(Counter, name, unit, help).add(float64(n), labels...) }
	count("requests.started", Requests, "Requests begun.", p.RequestsStarted)
	if p.RequestsPlanned > 0 {
		count("requests.planned", Requests, "Requests that the throughput cap let begin, were there always a user to send them.", p.RequestsPlanned)
		count("requests.admitted", Requests, "Requests that began under the throughput cap.", p.RequestsAdmitted)
	}
	count("iterations.scheduled", Iterations, "Iterations that fell due.", p.Scheduled)
	count("iterations.started", Iterations, "Iterations begun.", p.Started)
	count("iterations.finished", Iterations, "Iterations that ended.", p.Finished)
	count("iterations.interrupted", Iterations, "Iterations that the end of the run cut short.", p.Interrupted)
	for reason, n := range p.Dropped {
		b.family(Counter, "iterations.dropped", Iterations, "Iterations that fell due and were not begun, by reason.").
			add(float64(n), append(slices.Clone(labels), Label{"reason", metrics.Drop(reason).String()})...)
	}
	b.family(Counter, "throttled", Seconds, "Time that requests waited for the throughput cap.").add(float64(p.Throttled)/nanosPerSecond, labels...)
}

// health tells how the generator fared in its last second.
func (b *book) health(source string, h metrics.Health) {
	var labels []Label
	if source != "" {
		labels = []Label{{"agent", source}}
	}
	gauge := func(name, unit, help string, v float64) {
		b.family(Gauge, "generator."+name, unit, help).add(v, labels...)
	}
	gauge("cpu", Ratio, "Share of the processors that the load generator may use, 0 to 1.", h.CPUShare)
	gauge("scheduler_lag_p99", Seconds, "99th percentile of the time that ready work of the generator waited for a processor.", float64(h.SchedulerLagP99)/nanosPerSecond)
	gauge("pacer_late_p99", Seconds, "99th percentile of how late the generator began what was due.", float64(h.PacerLateP99)/nanosPerSecond)
	gauge("gc_pause_max", Seconds, "Longest pause of the generator's garbage collector.", float64(h.GCPauseMax)/nanosPerSecond)
	gauge("stall", Seconds, "For how long the generator stood still at a stretch, at most.", float64(h.Stall)/nanosPerSecond)
	gauge("memory", Bytes, "Resident memory of the generator.", float64(h.MemoryBytes))
	gauge("goroutines", "{goroutine}", "Goroutines of the generator.", float64(h.Goroutines))
	gauge("descriptors", "{descriptor}", "Open file descriptors of the generator.", float64(h.Descriptors))
}

// verdicts tells which criteria have triggered: 1, else 0.
func (b *book) verdicts(list []criteria.Verdict) {
	seen := map[string]bool{}
	for _, v := range list {
		if seen[v.Text] {
			continue // written twice
		}
		seen[v.Text] = true
		triggered := 0.0
		if v.Result == criteria.Failed || v.Result == criteria.Noticed {
			triggered = 1
		}
		b.family(Gauge, "criterion.triggered", "", "1 when a criterion has triggered, else 0.").add(triggered, Label{"criterion", v.Text})
	}
}
