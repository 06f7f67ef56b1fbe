package web

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// maxSlots is how many points a chart has at most, and maxMarks how many events it marks: the newest.
const maxSlots, maxMarks = 150, 40

// plot is a panel before it is drawn.
type plot struct {
	id, title, note string
	height          int
	top, limit      float64
	format          func(float64) string
	lines           []charts.Line
}

// panels draws the charts of the run so far.
func panels(timeline *charts.Timeline, snap *metrics.Snapshot) (list []panel, times []string) {
	slots := timeline.Slots(maxSlots)
	if len(slots) == 0 {
		return nil, nil
	}
	// A few seconds at least, so that the first points are not a whole picture.
	span := max(slots[len(slots)-1].End(), 10*time.Second)
	var at []time.Duration
	for i := range slots {
		at = append(at, slots[i].Start+slots[i].Width/2)
		times = append(times, report.Clock(slots[i].Start))
	}
	var marks []charts.Mark
	events := snap.Events()
	for _, e := range events[max(0, len(events)-maxMarks):] {
		marks = append(marks, charts.Mark{At: time.Duration(e.At), Text: report.Clock(time.Duration(e.At)) + " " + e.Kind + ": " + report.Clean(e.Text)})
	}
	for _, p := range plots(slots) {
		chart := charts.Panel{
			ID: "chart-" + p.id, Title: p.title, Label: p.title + " over " + report.Clock(span), Span: span, Height: p.height, Top: p.top, Limit: p.limit,
			Lines: p.lines, Times: at, Marks: marks, Format: p.format, Clock: report.Clock,
		}
		out := panel{ID: p.id, Title: p.title, Note: p.note, SVG: chart.SVG()}
		for _, l := range p.lines {
			texts := make([]string, len(l.Values))
			for i, v := range l.Values {
				if !math.IsNaN(v) {
					texts[i] = p.format(v)
				}
			}
			out.Lines = append(out.Lines, line{ID: l.ID, Name: l.Name, Now: texts[len(texts)-1], Values: texts})
		}
		list = append(list, out)
	}
	return list, times
}

func plots(slots []charts.Slot) []plot {
	values := func(value func(*charts.Slot) float64) []float64 {
		out := make([]float64, len(slots))
		for i := range slots {
			out[i] = value(&slots[i])
		}
		return out
	}
	rate := func(n func(*charts.Slot) int64) []float64 {
		return values(func(s *charts.Slot) float64 {
			if perSecond, ok := s.Rate(n(s)); ok {
				return perSecond
			}
			return math.NaN()
		})
	}
	quantile := func(q float64) []float64 {
		return values(func(s *charts.Slot) float64 {
			if s.Total.Response.Count == 0 {
				return math.NaN()
			}
			return s.Total.Response.Quantile(q) / 1e9
		})
	}
	list := []plot{
		{
			id: "response", title: "Response time", note: "from due to done", height: 210, format: seconds,
			lines: []charts.Line{{ID: "p99", Name: "p99", Values: quantile(99)}, {ID: "p95", Name: "p95", Values: quantile(95)}, {ID: "p50", Name: "p50", Values: quantile(50)}},
		},
		{
			id: "traffic", title: "Throughput and failures", note: "requests that ended, per second", height: 150, format: perSecond,
			lines: []charts.Line{
				{ID: "done", Name: "requests", Values: rate(func(s *charts.Slot) int64 { return s.Total.Finished })},
				{ID: "failed", Name: "failed", Area: true, Values: rate(func(s *charts.Slot) int64 { return s.Total.Failed })},
			},
		},
	}
	has := func(of func(charts.Slot) bool) bool { return slices.ContainsFunc(slots, of) }
	closed := has(func(s charts.Slot) bool { return s.Closed })
	if has(func(s charts.Slot) bool { return s.Open }) {
		list = append(list, plot{
			id: "arrivals", title: "Arrivals", note: "iterations per second, planned against started", height: 150, format: perSecond,
			lines: []charts.Line{
				{ID: "planned", Name: "planned", Values: values(func(s *charts.Slot) float64 { return s.PlannedRate })},
				{ID: "actual", Name: "started", Values: rate(func(s *charts.Slot) int64 { return s.Started })},
				{ID: "dropped", Name: "dropped", Area: true, Values: rate(func(s *charts.Slot) int64 { return s.Dropped })},
			},
		})
	}
	users := plot{id: "users", title: "Users", note: "virtual users alive", height: 150, format: number}
	if closed {
		users.note = "virtual users, planned against alive"
		users.lines = append(users.lines, charts.Line{ID: "planned", Name: "planned", Values: values(func(s *charts.Slot) float64 { return s.PlannedUsers })})
	}
	users.lines = append(users.lines, charts.Line{ID: "actual", Name: "alive", Values: values(func(s *charts.Slot) float64 { return s.Users })})
	return append(list, users, plot{
		id: "cpu", title: "Generator", note: "share of the processors it may use", height: 150, top: 100, limit: 100 * metrics.LimitCPUShare,
		format: func(v float64) string { return number(v) + "%" },
		lines:  []charts.Line{{ID: "cpu", Name: "CPU", Area: true, Values: values(func(s *charts.Slot) float64 { return 100 * s.Health.CPUShare })}},
	})
}

func seconds(v float64) string {
	if v == 0 {
		return "0"
	}
	return criteria.Seconds(v)
}

func perSecond(v float64) string { return number(v) + "/s" }

// number writes three digits, thousands short.
func number(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(math.Round(v/1e4)/100, 'f', -1, 64) + "M"
	case v >= 1e4:
		return strconv.FormatFloat(math.Round(v/1e2)/10, 'f', -1, 64) + "k"
	case v >= 100:
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	case v >= 10:
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}
