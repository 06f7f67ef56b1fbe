package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// busiest keeps the n rows with the most samples, in the order that they had.
func busiest(rows []*metrics.Row, n int) []*metrics.Row {
	byCount := slices.Clone(rows)
	slices.SortStableFunc(byCount, func(a, b *metrics.Row) int { return cmp.Compare(b.Finished, a.Finished) })
	kept := map[*metrics.Row]bool{}
	for _, row := range byCount[:n] {
		kept[row] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r *metrics.Row) bool { return !kept[r] })
}

// criteriaLines shows the state of each rule, those that triggered first, in at most room lines.
func criteriaLines(paint report.Palette, verdicts []criteria.Verdict, room int) []string {
	ordered := slices.Clone(verdicts)
	rank := func(v criteria.Verdict) int {
		switch {
		case v.Result == criteria.Failed:
			return 0
		case v.Result == criteria.Noticed:
			return 1
		case v.Progress >= 1:
			return 2
		case v.Progress > 0:
			return 3
		}
		return 4
	}
	slices.SortStableFunc(ordered, func(a, b criteria.Verdict) int { return cmp.Compare(rank(a), rank(b)) })
	var lines []string
	for i, v := range ordered {
		if i == room-1 && len(ordered) > room {
			return append(lines, paint.Dim(fmt.Sprintf("… and %d more criteria", len(ordered)-i)))
		}
		lines = append(lines, criterionLine(paint, v))
	}
	return lines
}

// criterionLine is the state of one rule: what was seen beside the limit, and how full its window is.
func criterionLine(paint report.Palette, v criteria.Verdict) string {
	text := report.Clean(v.Text)
	if v.Rule.Message != "" {
		text = report.Clean(v.Rule.Message) + " (" + text + ")"
	}
	if v.Observed != "" {
		text += ": " + report.Clean(v.Observed) + ", limit " + report.Clean(v.Limit)
	}
	switch {
	case v.Result == criteria.Failed:
		return paint.Bad("✗ " + text)
	case v.Result == criteria.Noticed:
		return paint.Warn("! " + text)
	case v.Progress > 0 && !v.Windowed:
		return paint.Warn("~ " + text + " (judged at the end)")
	case v.Progress > 0 && v.Rule.Logic == "for":
		return paint.Warn(fmt.Sprintf("~ %s %s", gauge(v.Progress), text))
	}
	if v.Observed == "" { // nothing was seen yet
		return paint.Dim("· " + text)
	}
	return paint.Good("✓ ") + text
}

// gauge shows how full a window is.
func gauge(share float64) string {
	const cells = 10
	full := min(max(int(share*cells), 0), cells)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// generatorLine tells how the generator itself fares.
func generatorLine(paint report.Palette, iv *metrics.Interval, snap *metrics.Snapshot) string {
	line := fmt.Sprintf("generator  CPU %s  lag p99 %s  GC %s  %s", criteria.Percent(100*iv.Health.CPUShare),
		report.Nanoseconds(float64(iv.Health.SchedulerLagP99)), report.Nanoseconds(float64(iv.Health.GCPauseMax)),
		report.Bytes(iv.Health.MemoryBytes))
	if h := snap.Health(); h.Bottleneck {
		return paint.Warn(line + "  bottleneck: " + h.Reason)
	}
	return paint.Dim(line)
}
