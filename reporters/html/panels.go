package html

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// maxSlots is how many points a time line has.
const maxSlots = 200

// The words by which the script knows how to write a value.
const (
	unitSeconds = "s"
	unitRate    = "/s"
	unitPercent = "%"
	unitCount   = "n"
)

// panel is a chart with its legend, and the same values for the script.
type panel struct {
	ID    string
	Title string
	Note  string
	Unit  string
	Lines []legend
	SVG   template.HTML
	lines []charts.Line
	limit float64
	top   float64
}

// legend is a button that shows and hides a line.
type legend struct {
	ID, Name string
	Hidden   bool
}

// timeline is what the page shows over time.
type timeline struct {
	Panels []panel
	Width  string // of a slot, in words
	Data   template.JS
	slots  []charts.Slot
	before []charts.Slot // of the run compared with
	times  []time.Duration
	span   time.Duration
	marks  []charts.Mark
	bands  []charts.Band
}

func newTimeline(d *Data, t *report.Totals, events []event) *timeline {
	l := &timeline{slots: d.Timeline.Slots(maxSlots)}
	if len(l.slots) == 0 {
		return l
	}
	l.span = l.slots[len(l.slots)-1].End()
	l.Width = report.Nanoseconds(float64(l.slots[0].Width))
	for i := range l.slots {
		l.times = append(l.times, l.slots[i].Start+l.slots[i].Width/2)
	}
	for _, e := range events[:min(len(events), maxMarks)] {
		l.marks = append(l.marks, charts.Mark{At: e.at, Text: e.At + " " + e.Kind + ": " + e.Text})
	}
	if start, _, ok := d.Outcome.Snapshot.Window(); ok && t.RequestsWarm.Finished > 0 {
		l.bands = append(l.bands, charts.Band{To: time.Duration(start), Text: "warm-up: shown here, but in no other figure"})
	}
	if d.Baseline != nil && d.Baseline.Timeline != nil {
		l.before = d.Baseline.Timeline.Slots(maxSlots)
	}
	l.addTimes(t)
	l.addTraffic()
	l.addLoad()
	l.addHealth()
	l.draw()
	l.Data = l.data()
	return l
}

// values makes a line's values from the slots.
func (l *timeline) values(value func(*charts.Slot) float64) []float64 {
	out := make([]float64, len(l.slots))
	for i := range l.slots {
		out[i] = value(&l.slots[i])
	}
	return out
}

// valuesBefore makes a line's values from the slots of the run compared with that hold the same
// times since the start.
func (l *timeline) valuesBefore(value func(*charts.Slot) float64) []float64 {
	out := make([]float64, len(l.slots))
	for i, at := range l.times {
		out[i] = math.NaN()
		if k := int(at / l.before[0].Width); k < len(l.before) {
			out[i] = value(&l.before[k])
		}
	}
	return out
}

func (l *timeline) addTimes(t *report.Totals) {
	title := "Response time"
	note := "from due to done; the service time is the same, as no request waited"
	if t.Waited() {
		note = "from the moment a request was due to its end, waiting included"
	}
	l.add(panel{ID: "response", Title: title, Note: note, Unit: unitSeconds, lines: l.percentiles(func(r *metrics.Row) *metrics.Series { return &r.Response })})
	if t.Waited() {
		l.add(panel{
			ID: "service", Title: "Service time", Note: "from the moment a request began to its end", Unit: unitSeconds,
			lines: l.percentiles(func(r *metrics.Row) *metrics.Series { return &r.Service }),
		})
	}
}

func (l *timeline) percentiles(series func(*metrics.Row) *metrics.Series) []charts.Line {
	quantile := func(q float64) func(*charts.Slot) float64 {
		return func(s *charts.Slot) float64 {
			of := series(&s.Total)
			if of.Count == 0 {
				return math.NaN()
			}
			return of.Quantile(q) / 1e9
		}
	}
	at := func(q float64) []float64 { return l.values(quantile(q)) }
	lines := []charts.Line{
		{ID: "max", Name: "max", Values: at(100), Hidden: true},
		{ID: "p99", Name: "p99", Values: at(99)},
		{ID: "p95", Name: "p95", Values: at(95)},
		{ID: "p90", Name: "p90", Values: at(90), Hidden: true},
		{ID: "p50", Name: "p50", Values: at(50)},
	}
	if len(l.before) > 0 {
		lines = append(lines, charts.Line{ID: "before", Name: "p95 before", Values: l.valuesBefore(quantile(95))})
	}
	return lines
}

func rateOf(n func(*charts.Slot) int64) func(*charts.Slot) float64 {
	return func(s *charts.Slot) float64 {
		rate, ok := s.Rate(n(s))
		if !ok {
			return math.NaN()
		}
		return rate
	}
}

func (l *timeline) addTraffic() {
	finished := rateOf(func(s *charts.Slot) int64 { return s.Total.Finished })
	lines := []charts.Line{
		{ID: "done", Name: "requests", Values: l.values(finished)},
		{ID: "failed", Name: "failed", Area: true, Values: l.values(rateOf(func(s *charts.Slot) int64 { return s.Total.Failed }))},
	}
	if len(l.before) > 0 {
		lines = append(lines, charts.Line{ID: "before", Name: "requests before", Values: l.valuesBefore(finished)})
	}
	l.add(panel{ID: "traffic", Title: "Throughput and failures", Note: "requests that ended, per second", Unit: unitRate, lines: lines})
}

func (l *timeline) addLoad() {
	has := func(of func(charts.Slot) bool) bool { return slices.ContainsFunc(l.slots, of) }
	closed, open := has(func(s charts.Slot) bool { return s.Closed }), has(func(s charts.Slot) bool { return s.Open })
	if open {
		lines := []charts.Line{
			{ID: "planned", Name: "planned", Values: l.values(func(s *charts.Slot) float64 { return s.PlannedRate })},
			{ID: "actual", Name: "started", Values: l.values(rateOf(func(s *charts.Slot) int64 { return s.Started }))},
		}
		if has(func(s charts.Slot) bool { return s.Dropped > 0 }) {
			lines = append(lines, charts.Line{ID: "failed", Name: "dropped", Area: true, Values: l.values(rateOf(func(s *charts.Slot) int64 { return s.Dropped }))})
		}
		l.add(panel{ID: "arrivals", Title: "Arrivals", Note: "iterations per second, planned against actual", Unit: unitRate, lines: lines})
	}
	if !closed && !open {
		return
	}
	var lines []charts.Line
	note := "virtual users alive"
	if closed {
		note = "virtual users, planned against actual"
		lines = append(lines, charts.Line{ID: "planned", Name: "planned", Values: l.values(func(s *charts.Slot) float64 { return s.PlannedUsers })})
	}
	lines = append(lines, charts.Line{ID: "actual", Name: "alive", Values: l.values(func(s *charts.Slot) float64 { return s.Users })})
	l.add(panel{ID: "users", Title: "Users", Note: note, Unit: unitCount, lines: lines})
}

func (l *timeline) addHealth() {
	if !slices.ContainsFunc(l.slots, func(s charts.Slot) bool { return s.Health != metrics.Health{} }) {
		return
	}
	seconds := func(ns func(*metrics.Health) int64) []float64 {
		return l.values(func(s *charts.Slot) float64 { return float64(ns(&s.Health)) / 1e9 })
	}
	l.add(panel{
		ID: "cpu", Title: "Generator: processors", Unit: unitPercent, limit: 100 * metrics.LimitCPUShare, top: 100,
		Note:  "share of the processors it may use; beyond " + criteria.Percent(100*metrics.LimitCPUShare) + " it shapes what it measures",
		lines: []charts.Line{{ID: "cpu", Name: "CPU", Area: true, Values: l.values(func(s *charts.Slot) float64 { return 100 * s.Health.CPUShare })}},
	})
	l.add(panel{
		ID: "lag", Title: "Generator: delays", Unit: unitSeconds, limit: metrics.LimitLag.Seconds(),
		Note: "its own delays; beyond " + report.Nanoseconds(float64(metrics.LimitLag)) + " they show in the times above",
		lines: []charts.Line{
			{ID: "lag", Name: "scheduler p99", Values: seconds(func(h *metrics.Health) int64 { return h.SchedulerLagP99 })},
			{ID: "late", Name: "pacer p99", Values: seconds(func(h *metrics.Health) int64 { return h.PacerLateP99 })},
			{ID: "stall", Name: "standing still", Values: seconds(func(h *metrics.Health) int64 { return h.Stall })},
			{ID: "gc", Name: "GC pause", Values: seconds(func(h *metrics.Health) int64 { return h.GCPauseMax })},
		},
	})
}

func (l *timeline) add(p panel) {
	for _, line := range p.lines {
		p.Lines = append(p.Lines, legend{ID: line.ID, Name: line.Name, Hidden: line.Hidden})
	}
	l.Panels = append(l.Panels, p)
}

func (l *timeline) draw() {
	for i := range l.Panels {
		p := &l.Panels[i]
		height := 150
		if i == 0 {
			height = 220
		}
		chart := charts.Panel{
			ID: "chart-" + p.ID, Title: p.Title, Label: l.describe(p), Span: l.span, Height: height, Top: p.top, Limit: p.limit,
			Lines: p.lines, Times: l.times, Marks: l.marks, Bands: l.bands, Format: formatOf(p.Unit), Clock: report.Clock,
		}
		p.SVG = template.HTML(chart.SVG()) //nolint:gosec // charts escapes what it is given
	}
}

// describe says in words what a panel shows.
func (l *timeline) describe(p *panel) string {
	text := p.Title + " over " + report.Clock(l.span)
	format := formatOf(p.Unit)
	for _, line := range p.lines {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range line.Values {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		if low <= high {
			text += fmt.Sprintf("; %s between %s and %s", line.Name, format(low), format(high))
		}
	}
	return text
}

// formatOf writes a value of a unit on an axis.
func formatOf(unit string) func(float64) string {
	switch unit {
	case unitSeconds:
		return func(v float64) string {
			if v == 0 {
				return "0"
			}
			return criteria.Seconds(v)
		}
	case unitPercent:
		return func(v float64) string { return number(v) + "%" }
	case unitRate:
		return func(v float64) string { return number(v) + "/s" }
	}
	return number
}

// number writes a value with three significant digits, large ones in thousands.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + "M"
	case a >= 1e4:
		return strconv.FormatFloat(math.Round(v/1e2)/10, 'f', -1, 64) + "k"
	case a >= 100:
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return strconv.FormatFloat(significant(v, 3), 'f', -1, 64)
}

// significant rounds to so many significant digits.
func significant(v float64, digits int) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	power := math.Pow(10, float64(digits)-math.Ceil(math.Log10(math.Abs(v))))
	return math.Round(v*power) / power
}
