package statsd

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// writer makes the lines of one interval.
type writer struct {
	options *Options
	common  []tag
	lines   []string
}

type tag struct{ name, value string }

// lines writes a second.
func (s *StatsD) lines(iv *metrics.Interval) []string {
	w := &writer{options: &s.options}
	for _, name := range slices.Sorted(maps.Keys(s.options.Tags)) {
		w.common = append(w.common, tag{name, s.options.Tags[name]})
	}
	if iv.Source != "" {
		w.common = append(w.common, tag{"agent", iv.Source})
	}
	for i := range iv.Rows {
		w.row(&iv.Rows[i])
	}
	for i := range iv.Load {
		w.load(&iv.Load[i])
	}
	w.gauge("generator.cpu_share", iv.Health.CPUShare)
	w.gauge("generator.scheduler_lag_p99_ms", milliseconds(float64(iv.Health.SchedulerLagP99)))
	w.gauge("generator.memory_bytes", float64(iv.Health.MemoryBytes))
	return w.lines
}

func (w *writer) row(r *metrics.Row) {
	kind := report.KindName(r.Kind)
	tags := []tag{{"execution", r.Execution}, {"label", r.Label}}
	if r.WarmUp {
		kind = "warm_up." + kind
	}
	count := func(name string, n int64, more ...tag) {
		if n > 0 {
			w.counter(kind+"."+name, n, append(slices.Clone(tags), more...)...)
		}
	}
	count("count", r.Finished)
	count("failures", r.Failed)
	count("interruptions", r.Interrupted)
	count("bytes_sent", r.BytesOut)
	count("bytes_received", r.BytesIn)
	for _, code := range slices.Sorted(maps.Keys(r.Codes)) {
		if r.Codes[code] > 0 && (r.Kind == metrics.RequestKind || r.Kind == metrics.ResourceKind) {
			count("codes", r.Codes[code], tag{"code", strconv.Itoa(code)})
		}
	}
	for fault, n := range r.Faults {
		if n > 0 {
			count("faults", n, tag{"fault", metrics.Fault(fault).String()})
		}
	}
	for _, s := range []struct {
		name   string
		series *metrics.Series
	}{{"response_time", &r.Response}, {"service_time", &r.Service}, {"first_byte_time", &r.Latency}, {"connect_time", &r.Connect}} {
		if s.series.Count == 0 {
			continue
		}
		name := kind + "." + s.name + "_ms."
		w.gauge(name+"mean", milliseconds(s.series.Mean()), tags...)
		w.gauge(name+"max", milliseconds(float64(s.series.Max)), tags...)
		for _, level := range []float64{50, 90, 95, 99} {
			w.gauge(name+"p"+strconv.FormatFloat(level, 'f', -1, 64), milliseconds(s.series.Quantile(level)), tags...)
		}
	}
}

func (w *writer) load(l *metrics.Load) {
	execution := tag{"execution", l.Execution}
	w.gauge("users", float64(l.Users), execution)
	if l.Open {
		w.gauge("planned_per_second", l.Planned, execution)
	} else {
		w.gauge("planned_users", l.Planned, execution)
	}
	count := func(name string, n int64, more ...tag) {
		if n > 0 {
			w.counter(name, n, append([]tag{execution}, more...)...)
		}
	}
	for _, warmUp := range []bool{false, true} {
		stem := map[bool]string{true: "warm_up."}[warmUp]
		p := l.Part(warmUp)
		count(stem+"iterations.scheduled", p.Scheduled)
		count(stem+"iterations.started", p.Started)
		count(stem+"iterations.finished", p.Finished)
		count(stem+"iterations.interrupted", p.Interrupted)
		count(stem+"requests.planned", p.RequestsPlanned)
		count(stem+"requests.admitted", p.RequestsAdmitted)
		for reason, n := range p.Dropped {
			count(stem+"iterations.dropped", n, tag{"reason", metrics.Drop(reason).String()})
		}
	}
}

func milliseconds(ns float64) float64 { return ns / 1e6 }

func (w *writer) counter(name string, n int64, tags ...tag) {
	w.line(name, strconv.FormatInt(n, 10)+"|c", tags)
}

// gauge writes a level. None of ours is negative: a sign would mean a change.
func (w *writer) gauge(name string, v float64, tags ...tag) {
	w.line(name, strconv.FormatFloat(v, 'f', -1, 64)+"|g", tags)
}

// line writes NAME:VALUE|TYPE, with tags at its end or within its name.
func (w *writer) line(name, value string, tags []tag) {
	var b strings.Builder
	b.WriteString(w.options.Prefix)
	b.WriteString(".")
	if !w.options.Dog {
		// STEM.EXECUTION.LABEL.FIGURE…: what is summed over stands before what is summed.
		stem, figure, _ := strings.Cut(name, ".")
		if stem == "warm_up" {
			var inner string
			inner, figure, _ = strings.Cut(figure, ".")
			stem += "." + inner
		}
		b.WriteString(stem)
		for _, t := range tags {
			if t.name == "execution" || t.name == "label" {
				b.WriteString("." + part(t.value))
			}
		}
		if figure != "" {
			b.WriteString("." + figure)
		}
		for _, t := range tags {
			if t.name != "execution" && t.name != "label" {
				b.WriteString("." + part(t.value))
			}
		}
		w.lines = append(w.lines, b.String()+":"+value)
		return
	}
	b.WriteString(name + ":" + value)
	for i, t := range slices.Concat(w.common, tags) {
		b.WriteString(map[bool]string{true: "|#", false: ","}[i == 0])
		b.WriteString(t.name + ":" + tagValue(t.value))
	}
	w.lines = append(w.lines, b.String())
}

// part makes a text fit to stand between the dots of a name.
func part(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "_"
	}
	return s
}

// tagValue takes out of a text what ends a tag.
func tagValue(s string) string {
	return strings.NewReplacer("|", "_", ",", "_", "#", "_", "\n", "_").Replace(report.Clean(s))
}
