package influx

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// line builds one point: measurement and tags, fields, time.
type line struct {
	b      []byte
	common string // tags that all points have, written out
	fields int
}

// point begins a point; tags come in pairs of name and value, and an empty value is left out.
func (l *line) point(measurement string, tags ...string) {
	l.b = append(l.b, "stacrun_"...)
	l.b = append(l.b, measurement...)
	l.b = append(l.b, l.common...)
	for i := 0; i+1 < len(tags); i += 2 {
		l.b = appendTag(l.b, tags[i], tags[i+1])
	}
	l.fields = 0
}

func appendTag(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(append(b, ','), escape(name)...)
	return append(append(b, '='), escape(value)...)
}

// escape writes a tag's value. A backslash has no escape of its own in line protocol and would hide
// the comma that follows, so it becomes a slash.
func escape(v string) string {
	return strings.NewReplacer(`\`, "/", ",", `\,`, "=", `\=`, " ", `\ `).Replace(report.Clean(v))
}

func (l *line) name(name string) {
	if l.fields == 0 {
		l.b = append(l.b, ' ')
	} else {
		l.b = append(l.b, ',')
	}
	l.fields++
	l.b = append(append(l.b, name...), '=')
}

func (l *line) integer(name string, n int64) {
	l.name(name)
	l.b = append(strconv.AppendInt(l.b, n, 10), 'i')
}

func (l *line) float(name string, v float64) {
	l.name(name)
	l.b = strconv.AppendFloat(l.b, v, 'f', -1, 64)
}

func (l *line) text(name, v string) {
	l.name(name)
	l.b = append(l.b, '"')
	l.b = append(l.b, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(report.Clean(v))...)
	l.b = append(l.b, '"')
}

// end finishes the point with its time.
func (l *line) end(at time.Time) {
	l.b = append(l.b, ' ')
	l.b = append(strconv.AppendInt(l.b, at.UnixMilli(), 10), '\n')
}

// percentiles are the levels that are written, with the ending of their fields.
var percentiles = [...]struct {
	level float64
	name  string
}{{50, "p50"}, {90, "p90"}, {95, "p95"}, {99, "p99"}}

// times writes a distribution in milliseconds; nothing when it is empty.
func (l *line) times(name string, s *metrics.Series) {
	if s.Count == 0 {
		return
	}
	const ms = 1e6
	l.float(name+"_mean_ms", s.Mean()/ms)
	l.float(name+"_min_ms", float64(s.Min)/ms)
	l.float(name+"_max_ms", float64(s.Max)/ms)
	for _, p := range percentiles {
		l.float(name+"_"+p.name+"_ms", s.Quantile(p.level)/ms)
	}
}

// appendInterval writes all points of a second.
func appendInterval(b []byte, iv *metrics.Interval, started time.Time, tags map[string]string) []byte {
	l := &line{b: b}
	var common []byte
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		common = appendTag(common, name, tags[name])
	}
	if iv.Source != "" {
		common = appendTag(common, "agent", iv.Source)
	}
	l.common = string(common)
	at := started.Add(time.Duration(iv.Second) * time.Second)
	for i := range iv.Rows {
		l.row(&iv.Rows[i], at)
	}
	for i := range iv.Load {
		l.load(&iv.Load[i], at)
	}
	h := &iv.Health
	l.point("generator")
	l.float("cpu_share", h.CPUShare)
	l.float("scheduler_lag_p99_ms", float64(h.SchedulerLagP99)/1e6)
	l.float("pacer_late_p99_ms", float64(h.PacerLateP99)/1e6)
	l.float("gc_pause_max_ms", float64(h.GCPauseMax)/1e6)
	l.float("stall_ms", float64(h.Stall)/1e6)
	l.integer("memory_bytes", h.MemoryBytes)
	l.integer("goroutines", h.Goroutines)
	l.integer("descriptors", h.Descriptors)
	l.end(at)
	for _, e := range iv.Events {
		l.point("events", "kind", e.Kind)
		l.text("text", e.Text)
		l.end(started.Add(time.Duration(e.At)))
	}
	return l.b
}

// row writes the traffic of a label: one point of figures, one per status code, one per fault.
func (l *line) row(r *metrics.Row, at time.Time) {
	tags := []string{
		"execution", r.Execution, "kind", report.KindName(r.Kind), "label", r.Label, "warm_up", strconv.FormatBool(r.WarmUp),
	}
	l.point("traffic", tags...)
	l.integer("finished", r.Finished)
	l.integer("failed", r.Failed)
	l.integer("interrupted", r.Interrupted)
	l.integer("exchanges", r.Exchanges)
	l.integer("bytes_sent", r.BytesOut)
	l.integer("bytes_received", r.BytesIn)
	l.integer("connections", r.Connect.Count)
	l.times("response", &r.Response)
	l.times("service", &r.Service)
	l.times("first_byte", &r.Latency)
	l.times("connect", &r.Connect)
	l.end(at)
	for _, code := range slices.Sorted(maps.Keys(r.Codes)) {
		if n := r.Codes[code]; n > 0 {
			l.point("codes", append(slices.Clone(tags), "code", strconv.Itoa(code))...)
			l.integer("count", n)
			l.end(at)
		}
	}
	for fault, n := range r.Faults {
		if n > 0 {
			l.point("faults", append(slices.Clone(tags), "fault", metrics.Fault(fault).String())...)
			l.integer("count", n)
			l.end(at)
		}
	}
}

func (l *line) load(x *metrics.Load, at time.Time) {
	l.point("load", "execution", x.Execution)
	if x.Open {
		l.float("planned_per_second", x.Planned)
	} else {
		l.float("planned_users", x.Planned)
	}
	l.integer("users", x.Users)
	l.integer("users_peak", x.UsersPeak)
	l.part("", x.Whole())
	if x.WarmUp != (metrics.LoadPart{}) {
		l.part("_warm_up", x.WarmUp)
	}
	l.end(at)
}

// part writes counters of a load; those of its warm-up have names of their own.
func (l *line) part(suffix string, p metrics.LoadPart) {
	l.integer("iterations_scheduled"+suffix, p.Scheduled)
	l.integer("iterations_started"+suffix, p.Started)
	l.integer("iterations_finished"+suffix, p.Finished)
	l.integer("iterations_interrupted"+suffix, p.Interrupted)
	l.integer("requests_started"+suffix, p.RequestsStarted)
	l.float("throttled_ms"+suffix, float64(p.Throttled)/1e6)
	for reason, n := range p.Dropped {
		l.integer("dropped_"+strings.ReplaceAll(metrics.Drop(reason).String(), "-", "_")+suffix, n)
	}
	if p.RequestsPlanned > 0 || p.RequestsAdmitted > 0 {
		l.integer("requests_planned"+suffix, p.RequestsPlanned)
		l.integer("requests_admitted"+suffix, p.RequestsAdmitted)
	}
}
