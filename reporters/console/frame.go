package console

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// show lays the pages out and draws the one that is looked at; the others only where a key can ask for them.
func (c *Console) show(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict) error {
	columns, rows := c.view.room()
	if c.options.Desk != nil {
		rows-- // for the keys
	}
	if iv == nil {
		c.pages = [][]string{{c.head(0, columns), "starting"}}
		return c.redraw()
	}
	c.note(iv)
	c.pages = [][]string{c.frame(iv, snap, verdicts)(columns, rows)}
	if c.options.Desk != nil {
		c.pages = append(c.pages, c.further(iv, snap, verdicts, columns, rows)...)
	}
	return c.redraw()
}

// redraw draws the page again, with what the keys have to say below.
func (c *Console) redraw() error {
	return c.view.draw(func(columns, rows int) []string {
		page := c.pages[c.page%len(c.pages)]
		if c.options.Desk == nil {
			return page
		}
		page = page[:min(len(page), max(rows-1, 1))]
		return append(slices.Clip(page), c.keyLine(columns))
	})
}

// head is the first line of every page.
func (c *Console) head(elapsed time.Duration, columns int) string {
	name := report.Clean(c.run.Name)
	return c.paint.Bold(name) + "  " + progress(c.run, elapsed, columns-report.Width(name)-3)
}

// recentSeconds is what the live view shows rates and percentiles of.
const recentSeconds = 10

// frame lays out the overview.
func (c *Console) frame(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict) func(columns, rows int) []string {
	paint := c.paint
	return func(columns, rows int) []string {
		lines := []string{c.head(time.Duration(iv.Second+1)*time.Second, columns)}
		recent := snap.Recent(recentSeconds, true)
		lines = append(lines, now(paint, iv, recent), overall(paint, snap))
		if total := snap.Total(); total.Failed > 0 {
			lines = append(lines, paint.Bad(failedText(total)))
		}
		if n := min(columns-sparkMargin, mostBeats); n >= 10 && rows >= chartRows {
			lines = append(lines, history(paint, c.past, n, rows >= tallRows)...)
		}
		lines = append(lines, "")
		tail := append(criteriaLines(paint, verdicts, max(3, rows/3)), generatorLine(paint, iv, snap))
		room := rows - len(lines) - len(tail) - 2 // titles and a blank line
		if room >= 2 {
			lines = append(append(lines, labelLines(paint, snap, recent, columns-1, room)...), "")
		}
		return append(lines, tail...)
	}
}

// progress shows how much of the plan has passed.
func progress(run report.Run, elapsed time.Duration, width int) string {
	if run.Duration <= 0 {
		text := report.Clock(elapsed)
		if run.Ends != "" {
			text += "  ends " + report.Clean(run.Ends)
		}
		return text
	}
	share := min(1, float64(elapsed)/float64(run.Duration))
	text := report.Clock(elapsed) + "/" + report.Clock(run.Duration)
	bar := min(40, width-report.Width(text)-8)
	if bar < 5 {
		return text
	}
	full := int(share * float64(bar))
	return text + " " + strings.Repeat("█", full) + strings.Repeat("░", bar-full) + " " + strconv.Itoa(int(share*100)) + "%"
}

// now tells of the last seconds.
func now(paint report.Palette, iv *metrics.Interval, recent metrics.Recent) string {
	row := recent.Total
	parts := []string{paint.Dim(fmt.Sprintf("last %ds ", recent.Seconds)), usersText(iv) + planned(iv), report.PerSecond(recent.Rate(row), true)}
	return strings.Join(append(parts, percentiles(row)...), "  ")
}

// overall tells of the run so far.
func overall(paint report.Palette, snap *metrics.Snapshot) string {
	row := snap.Total()
	rate, known := snap.Rate(row)
	parts := []string{paint.Dim("all     "), fmt.Sprintf("%d requests", row.Finished), report.PerSecond(rate, known)}
	parts = append(parts, percentiles(row)...)
	if dropped := droppedIn(snap); dropped > 0 {
		parts = append(parts, paint.Warn(fmt.Sprintf("%d iterations dropped", dropped)))
	}
	return strings.Join(parts, "  ")
}

func percentiles(row *metrics.Row) []string {
	if row.Response.Count == 0 {
		return []string{"no answer yet"}
	}
	var parts []string
	for _, q := range []float64{50, 95, 99} {
		parts = append(parts, fmt.Sprintf("p%.0f %s", q, report.Nanoseconds(row.Response.Quantile(q))))
	}
	return parts
}

// planned is what the plan asks for where that is not what is there.
func planned(iv *metrics.Interval) string {
	var users float64
	var rates []string
	for i := range iv.Load {
		if l := &iv.Load[i]; l.Open {
			rates = append(rates, report.PerSecond(l.Planned, true))
		} else {
			users += l.Planned
		}
	}
	text := ""
	if users > 0 {
		text = " of " + strconv.FormatFloat(math.Round(users), 'f', -1, 64)
	}
	if len(rates) > 0 {
		text += " at " + strings.Join(rates, " + ")
	}
	return text
}

// beat is one second in the little charts.
type beat struct{ rate, p50, p95, p99 float64 }

// remember keeps the second for the charts.
func (c *Console) remember(iv *metrics.Interval) {
	total := iv.Total("")
	now := beat{rate: float64(total.Finished)}
	if total.Response.Count > 0 {
		now.p50, now.p95, now.p99 = total.Response.Quantile(50), total.Response.Quantile(95), total.Response.Quantile(99)
	}
	c.past = append(c.past, now)
	if len(c.past) > mostBeats {
		c.past = slices.Delete(c.past, 0, len(c.past)-mostBeats)
	}
}

// mostBeats is the width of the charts at most, chartRows the height from which on there is room for two of them, and tallRows that
// for all. sparkMargin is what stands beside them.
const mostBeats, chartRows, tallRows, sparkMargin = 140, 18, 22, 24

// history draws the rate and times of the last n seconds as rows of blocks, with the newest value beside them.
func history(paint report.Palette, past []beat, n int, all bool) []string {
	past = past[max(0, len(past)-n):]
	row := func(name string, value func(beat) float64, write func(float64) string) string {
		values := make([]float64, len(past))
		for i, b := range past {
			values[i] = value(b)
		}
		text := ""
		if len(values) > 0 {
			text = " " + write(values[len(values)-1])
		}
		return paint.Dim(report.Pad(name, 10, false)) + blocks(values) + paint.Dim(text)
	}
	lines := []string{row("rate", func(b beat) float64 { return b.rate }, func(v float64) string { return report.PerSecond(v, true) })}
	if all {
		lines = append(lines, row("p50", func(b beat) float64 { return b.p50 }, report.Nanoseconds))
	}
	lines = append(lines, row("p95", func(b beat) float64 { return b.p95 }, report.Nanoseconds))
	if all {
		lines = append(lines, row("p99", func(b beat) float64 { return b.p99 }, report.Nanoseconds))
	}
	return lines
}

// blocks draws values from 0 to their greatest.
func blocks(values []float64) string {
	const steps = " ▁▂▃▄▅▆▇█"
	marks := []rune(steps)
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var b strings.Builder
	for _, v := range values {
		i := 0
		if top > 0 && v > 0 {
			i = max(1, int(math.Round(v/top*float64(len(marks)-1))))
		}
		b.WriteRune(marks[i])
	}
	return b.String()
}

// labelLines is the table per label in at most room rows, the busiest labels first where not all fit.
func labelLines(paint report.Palette, snap *metrics.Snapshot, recent metrics.Recent, columns, room int) []string {
	rates := map[string]float64{}
	for _, row := range recent.Rows {
		if row.Kind == metrics.RequestKind {
			rates[row.Label] = recent.Rate(row)
		}
	}
	table := &report.Table{Palette: paint, Marks: map[int]func(string) string{}, Columns: []report.Column{
		{Title: "label"}, {Title: "count"}, {Title: "rate", Drop: 2}, {Title: "p50"}, {Title: "p95"}, {Title: "p99", Drop: 1}, {Title: "failed"},
	}}
	rows := snap.RequestRows()
	rest := 0
	if len(rows) > room {
		keep := max(0, room-1)
		rest = len(rows) - keep
		rows = busiest(rows, keep)
	}
	for _, row := range rows {
		if row.Failed > 0 {
			table.Marks[len(table.Rows)] = paint.Bad
		}
		times := []string{"-", "-", "-"}
		if row.Response.Count > 0 {
			for i, q := range []float64{50, 95, 99} {
				times[i] = report.Nanoseconds(row.Response.Quantile(q))
			}
		}
		failed := "0"
		if row.Failed > 0 {
			failed = fmt.Sprintf("%d (%s)", row.Failed, report.Share(row.Failed, row.Finished))
		}
		table.Rows = append(table.Rows, []string{
			report.Clean(row.Label), strconv.FormatInt(row.Finished, 10), report.PerSecond(rates[row.Label], true),
			times[0], times[1], times[2], failed,
		})
	}
	lines := table.Lines(columns)
	if rest > 0 {
		lines = append(lines, paint.Dim(fmt.Sprintf("… and %d more labels", rest)))
	}
	return lines
}
