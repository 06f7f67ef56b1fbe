package html

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// labels is the table per label with its distributions.
type labels struct {
	Columns    []column
	Labels     []labelRow
	Total      labelRow
	LabelNote  string
	Spread     template.HTML
	SpreadNote string
	Phases     []phase
	PhaseCount string
	PhaseLabel string
}

type column struct {
	Name         string
	Number, Sort bool
	Index        int // of the figure in data-v; -1: the name
}

type labelRow struct {
	Name, Kind string
	Values     string // raw figures for sorting, separated by spaces
	Cells      []cell
	Strip      template.HTML
}

type cell struct{ Text, Class string }

const (
	maxLabelRows = 400 // more would make the page too large to be handed around
	spreadBins   = 64
)

// leastPhase is the share of a request's time from which on a phase is told.
const leastPhase = 0.0005

// levels are the percentiles that distributions are marked with.
func levels(s *metrics.Series) []charts.Percentile {
	list := []charts.Percentile{{Level: 50, ID: "p50"}, {Level: 90, ID: "p90"}, {Level: 95, ID: "p95"}, {Level: 99, ID: "p99"}}
	for i := range list {
		list[i].Text = list[i].ID + " " + report.Nanoseconds(s.Quantile(list[i].Level))
	}
	return list
}

func newLabels(t *report.Totals, baseline *Data) labels {
	waited := t.Waited()
	l := labels{Columns: columns(waited)}
	rows := t.Labels
	if len(rows) > maxLabelRows {
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(a, b *metrics.Row) int { return int(min(max(b.Finished-a.Finished, -1), 1)) })
		rows = rows[:maxLabelRows]
		l.LabelNote = fmt.Sprintf("The %d busiest of %d labels; all of them are in summary.json.", maxLabelRows, len(t.Labels))
	}
	series := []*metrics.Series{&t.Total.Response}
	for _, row := range rows {
		series = append(series, &row.Response)
	}
	spread := charts.NewSpread(spreadBins, series...)
	for _, row := range rows {
		l.Labels = append(l.Labels, newLabelRow(t, row, spread, waited))
	}
	l.Total = newLabelRow(t, t.Total, spread, waited)
	chart := charts.Distribution{
		ID: "chart-spread", Height: 190, Spread: spread, Series: &t.Total.Response, Levels: levels(&t.Total.Response),
		Format: report.Nanoseconds, Nothing: "no request was measured", Label: "Distribution of response times: " + distributionText(&t.Total.Response),
	}
	l.SpreadNote = "logarithmic, measured requests only"
	switch {
	case baseline != nil && baseline.Outcome != nil && baseline.Outcome.Snapshot != nil:
		chart.Beside = &baseline.Outcome.Snapshot.Total().Response
		l.SpreadNote += "; dashed: the run compared with"
	case waited:
		chart.Beside = &t.Total.Service
		l.SpreadNote += "; dashed: service time"
	}
	l.Spread = template.HTML(chart.SVG()) //nolint:gosec // charts escapes what it is given
	l.addPhases(t.Total)
	return l
}

func columns(waited bool) []column {
	names := []string{"count", "failed", "rate", "min", "mean", "p50", "p90", "p95", "p99", "max", "received"}
	if waited { // the page is not wide enough for all
		names = []string{"count", "failed", "rate", "mean", "p50", "p95", "p99", "max", "service p50", "service p95", "service p99", "received"}
	}
	list := []column{{Name: "Label", Sort: true, Index: -1}}
	for i, name := range names {
		list = append(list, column{Name: name, Number: true, Sort: true, Index: i})
	}
	return append(list, column{Name: "distribution"})
}

func newLabelRow(t *report.Totals, row *metrics.Row, spread charts.Spread, waited bool) labelRow {
	out := labelRow{Name: labelName(row)}
	if row.Kind != metrics.RequestKind {
		out.Kind = report.KindName(row.Kind)
	}
	var values []string
	add := func(value float64, text, class string) {
		out.Cells = append(out.Cells, cell{text, class})
		values = append(values, strconv.FormatFloat(significant(value, 6), 'g', -1, 64))
	}
	times := func(s *metrics.Series, ns float64) {
		if s.Count == 0 {
			add(-1, "–", "")
			return
		}
		add(ns, report.Nanoseconds(ns), "")
	}
	add(float64(row.Finished), report.Thousands(row.Finished), "")
	failed, class := "0", ""
	if row.Failed > 0 {
		failed, class = report.Thousands(row.Failed)+" ("+report.Share(row.Failed, row.Finished)+")", "bad-text"
	}
	add(float64(row.Failed), failed, class)
	rate, known := t.Rate(row)
	add(rate, report.PerSecond(rate, known), "")
	r := &row.Response
	if !waited {
		times(r, float64(r.Min))
	}
	times(r, r.Mean())
	times(r, r.Quantile(50))
	if !waited {
		times(r, r.Quantile(90))
	}
	times(r, r.Quantile(95))
	times(r, r.Quantile(99))
	times(r, float64(r.Max))
	if waited {
		for _, q := range []float64{50, 95, 99} {
			times(&row.Service, row.Service.Quantile(q))
		}
	}
	add(float64(row.BytesIn), report.Bytes(row.BytesIn), "")
	out.Values = strings.Join(values, " ")
	out.Strip = template.HTML(spread.Strip(r, distributionText(r), levels(r))) //nolint:gosec // charts escapes what it is given
	return out
}

// labelName is the name of a row as people read it.
func labelName(row *metrics.Row) string {
	if name := report.Clean(row.Label); name != "" {
		return name
	}
	return "[empty]"
}

// distributionText says a distribution in words.
func distributionText(s *metrics.Series) string {
	if s.Count == 0 {
		return "nothing measured"
	}
	return fmt.Sprintf("half up to %s, 95%% up to %s, 99%% up to %s", report.Nanoseconds(s.Quantile(50)),
		report.Nanoseconds(s.Quantile(95)), report.Nanoseconds(s.Quantile(99)))
}

func (l *labels) addPhases(total *metrics.Row) {
	if total.Finished == 0 {
		return
	}
	l.PhaseCount = report.Thousands(total.Finished)
	sum := 0.0
	for p := range total.Phases {
		sum += total.Phases[p].Mean()
	}
	if sum == 0 {
		return
	}
	for p := metrics.Phase(0); p < metrics.PhaseCount; p++ {
		mean := total.Phases[p].Mean()
		if mean < sum*leastPhase {
			continue
		}
		l.Phases = append(l.Phases, phase{
			Name: phaseWords(p), Value: report.Nanoseconds(mean), Class: "ph" + strconv.Itoa(int(p)), Grow: math.Round(mean/sum*1e4) / 100,
		})
		l.PhaseLabel += phaseWords(p) + " " + report.Nanoseconds(mean) + "; "
	}
	l.PhaseLabel = strings.TrimSuffix(l.PhaseLabel, "; ")
}

func sortedCodes(row *metrics.Row) []int {
	codes := slices.Sorted(maps.Keys(row.Codes))
	return slices.DeleteFunc(codes, func(code int) bool { return row.Codes[code] == 0 })
}

func statusName(code int) string {
	if code == 0 {
		return "no answer"
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}
