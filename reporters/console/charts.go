package console

import (
	"math"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// beat is one second in the little charts.
type beat struct{ rate, p50, p95, p99 float64 }

// mostBeats bounds the width of the charts, valueColumns is what stands beside them.
const mostBeats, valueColumns = 180, 10

// remember keeps the newest second for the charts.
func (c *Console) remember(recent *recent) {
	if len(recent.totals) == 0 {
		return
	}
	total := recent.totals[len(recent.totals)-1]
	now := beat{rate: float64(total.Finished)}
	if total.Response.Count > 0 {
		now.p50, now.p95, now.p99 = total.Response.Quantile(50), total.Response.Quantile(95), total.Response.Quantile(99)
	}
	c.past = append(c.past, now)
	if len(c.past) > mostBeats {
		c.past = slices.Delete(c.past, 0, len(c.past)-mostBeats)
	}
}

// history draws rate and times of the last seconds as charts of blocks, height lines each, with the newest value beside them. Where there
// is not room for all, it is the rate and p95.
func history(paint report.Palette, past []beat, columns, height int, all bool) (lines []string) {
	past = past[max(0, len(past)-(columns-nameColumns-valueColumns)):]
	if len(past) == 0 {
		return nil
	}
	draw := func(name string, value func(beat) float64, write func(float64) string) {
		values := make([]float64, len(past))
		for i, b := range past {
			values[i] = value(b)
		}
		chart := blocks(values, height)
		for i, line := range chart {
			if i < len(chart)-1 {
				lines = append(lines, report.Pad("", nameColumns, false)+line)
				continue
			}
			lines = append(lines, paint.Dim(report.Pad(name, nameColumns, false))+line+" "+write(values[len(values)-1]))
		}
	}
	draw("rate", func(b beat) float64 { return b.rate }, func(v float64) string { return report.PerSecond(v, true) })
	if all {
		draw("p50", func(b beat) float64 { return b.p50 }, report.Nanoseconds)
	}
	draw("p95", func(b beat) float64 { return b.p95 }, report.Nanoseconds)
	if all {
		draw("p99", func(b beat) float64 { return b.p99 }, report.Nanoseconds)
	}
	return lines
}

// blocks draws values from 0 to their greatest, in eighths of a line; what is not nothing is never invisible.
func blocks(values []float64, height int) []string {
	marks := []rune(" ▁▂▃▄▅▆▇█")
	const eighths = 8
	top := slices.Max(values)
	lines := make([]string, height)
	for i := range lines {
		below := (height - 1 - i) * eighths // of what this line shows
		var b strings.Builder
		for _, v := range values {
			filled := 0
			if top > 0 && v > 0 {
				filled = max(1, int(math.Round(v/top*float64(eighths*height))))
			}
			b.WriteRune(marks[min(max(filled-below, 0), eighths)])
		}
		lines[i] = b.String()
	}
	return lines
}
