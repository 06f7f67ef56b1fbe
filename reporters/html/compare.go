package html

import (
	"fmt"
	"math"
	"strings"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// comparison sets the labels of this run beside those of an earlier one.
type comparison struct {
	Name, About, Note string
	Columns           []string
	Rows              []comparedRow
}

type comparedRow struct {
	Name, Tag string
	Cells     []compared
}

// compared is a figure now and before.
type compared struct {
	Now, Before string
	Change      *change // nil: none that could be told
}

// change is a difference, and the class that it is coloured by.
type change struct{ Text, Tone string }

// From these differences on a change is coloured, in percent and, of shares, in points. One run of
// each does not tell how much the figures vary by themselves.
const (
	visibleChange = 5
	visiblePoints = 0.5
)

func newComparison(now *report.Totals, baseline *Data) *comparison {
	before := report.NewTotals(baseline.Outcome.Snapshot)
	c := &comparison{
		Name: report.Clean(baseline.Run.Name), About: about(baseline),
		Note: "Below each figure the one of the earlier run and the change. One run of each tells nothing of how much the figures vary by themselves: " +
			"small changes may be chance.",
		Columns: []string{"count", "failed", "rate", "p50", "p95", "p99", "max"},
	}
	if c.Name == "" {
		c.Name = "an earlier run"
	}
	c.Rows = append(c.Rows, compareRows("all requests", "", now, before, now.Total, before.Total))
	then := map[string]*metrics.Row{}
	for _, row := range before.Labels {
		then[rowID(row)] = row
	}
	for _, row := range now.Labels[:min(len(now.Labels), maxLabelRows)] {
		old := then[rowID(row)]
		delete(then, rowID(row))
		tag := kindTag(row)
		if old == nil {
			tag, old = "new", &metrics.Row{}
		}
		c.Rows = append(c.Rows, compareRows(labelName(row), tag, now, before, row, old))
	}
	for _, row := range before.Labels {
		if then[rowID(row)] != nil && len(c.Rows) <= maxLabelRows {
			c.Rows = append(c.Rows, compareRows(labelName(row), "gone", now, before, &metrics.Row{}, row))
		}
	}
	return c
}

func rowID(row *metrics.Row) string { return report.KindName(row.Kind) + "\x00" + row.Label }

func kindTag(row *metrics.Row) string {
	if row.Kind == metrics.RequestKind {
		return ""
	}
	return report.KindName(row.Kind)
}

func compareRows(name, tag string, now, before *report.Totals, a, b *metrics.Row) (row comparedRow) {
	row = comparedRow{Name: name, Tag: tag}
	defer func() {
		for i := range row.Cells { // what was not there has no figures
			if b.Empty() {
				row.Cells[i].Before = ""
			}
			if a.Empty() {
				row.Cells[i].Now = "–"
			}
		}
	}()
	row.Cells = append(row.Cells, compared{Now: report.Thousands(a.Finished), Before: report.Thousands(b.Finished)})
	failed := compared{Now: report.Share(a.Failed, a.Finished), Before: report.Share(b.Failed, b.Finished)}
	if a.Finished > 0 && b.Finished > 0 && failed.Now != failed.Before {
		points := 100 * (a.FailRatio() - b.FailRatio())
		failed.Change = &change{signed("%+.2g points", points), tone(points, visiblePoints, true)}
	}
	row.Cells = append(row.Cells, failed)
	rateNow, knownNow := now.Rate(a)
	rateBefore, knownBefore := before.Rate(b)
	rate := compared{Now: report.PerSecond(rateNow, knownNow), Before: report.PerSecond(rateBefore, knownBefore)}
	if knownNow && knownBefore {
		rate.Change = newChange(rateNow, rateBefore, false)
	}
	row.Cells = append(row.Cells, rate)
	for _, q := range []float64{50, 95, 99, 100} {
		c := compared{Now: "–", Before: "–"}
		if a.Response.Count > 0 {
			c.Now = report.Nanoseconds(a.Response.Quantile(q))
		}
		if b.Response.Count > 0 {
			c.Before = report.Nanoseconds(b.Response.Quantile(q))
		}
		if a.Response.Count > 0 && b.Response.Count > 0 {
			c.Change = newChange(a.Response.Quantile(q), b.Response.Quantile(q), true)
		}
		row.Cells = append(row.Cells, c)
	}
	return row
}

// newChange tells the change from one figure to another; more is worse for times, better for rates.
func newChange(now, before float64, moreIsWorse bool) *change {
	if before == 0 {
		return nil
	}
	percent := 100 * (now - before) / before
	if math.Abs(percent) < 0.05 {
		return &change{"±0%", "soft"}
	}
	text := signed("%+.1f%%", percent)
	if math.Abs(percent) >= 100 {
		text = fmt.Sprintf("×%.3g", now/before)
	}
	return &change{text, tone(percent, visibleChange, moreIsWorse)}
}

// signed writes a number with a true minus sign.
func signed(format string, v float64) string {
	return strings.Replace(fmt.Sprintf(format, v), "-", "−", 1)
}

func tone(percent, from float64, moreIsWorse bool) string {
	switch {
	case math.Abs(percent) < from:
		return "soft"
	case percent > 0 == moreIsWorse:
		return "bad-text"
	}
	return "good-text"
}
