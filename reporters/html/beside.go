package html

import (
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
)

// beside is what stands beside the times that were measured: numbers that answers hold, and times as they are corrected.
type beside struct {
	Numbers   []besideRow
	Corrected []besideRow
	Levels    []string // columns of Corrected
	Note      string
}

type besideRow struct {
	Name, Of string
	Cells    []string
	Pairs    [][2]string // corrected and measured
}

func newBeside(d *Data, t *report.Totals) *beside {
	b := &beside{}
	numbers, corrected := t.Numbers(&d.Run), t.CorrectedRows(&d.Run)
	if len(numbers)+len(corrected) == 0 {
		return nil
	}
	shown := numbers[:min(len(numbers), maxLabelRows)]
	for _, n := range shown {
		row := besideRow{Name: report.Clean(n.Label), Of: report.Clean(n.Name), Cells: []string{report.Thousands(n.Count)}}
		for _, v := range []float64{n.Min, n.Mean, n.P50, n.P95, n.P99, n.Max} {
			row.Cells = append(row.Cells, plainNumber(v))
		}
		b.Numbers = append(b.Numbers, row)
	}
	for _, q := range report.CorrectedLevels() {
		b.Levels = append(b.Levels, levelName(q))
	}
	for i, c := range corrected {
		if i >= maxLabelRows && c.Label != "" {
			continue
		}
		row := besideRow{Name: report.Clean(c.Label)}
		if c.Label == "" {
			row.Name = "all requests"
		}
		for k := range c.Corrected {
			row.Pairs = append(row.Pairs, [2]string{criteria.Seconds(c.Corrected[k] / 1e9), criteria.Seconds(c.Measured[k] / 1e9)})
		}
		b.Corrected = append(b.Corrected, row)
	}
	if len(numbers) > len(shown) {
		b.Note = "The first " + strconv.Itoa(len(shown)) + " of " + strconv.Itoa(len(numbers)) + " labels; all of them are in summary.json."
	}
	return b
}

func levelName(q float64) string {
	if q == 100 {
		return "max"
	}
	return "p" + strconv.FormatFloat(q, 'f', -1, 64)
}

// plainNumber writes a number whose unit is not known.
func plainNumber(v float64) string { return strconv.FormatFloat(significant(v, 6), 'f', -1, 64) }
