package console

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// criteriaLines shows the state of each rule, those that triggered first.
func criteriaLines(paint report.Palette, verdicts []criteria.Verdict) []string {
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
	lines := make([]string, len(ordered))
	for i, v := range ordered {
		lines[i] = criterionLine(paint, v)
	}
	return lines
}

// most cuts a list down to room lines, the last of which says what is missing.
func most(paint report.Palette, lines []string, room int, what string) []string {
	if len(lines) <= room || room < 1 {
		return lines[:min(len(lines), max(room, 0))]
	}
	cut := slices.Clone(lines[:room-1])
	return append(cut, paint.Dim(fmt.Sprintf("… and %d more %s", len(lines)-room+1, what)))
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

// loadLine tells of users, and of the rate that is achieved beside the one that is planned, per execution.
func loadLine(paint report.Palette, loads []metrics.Load, recent []*metrics.Interval) string {
	var parts []string
	for i := range loads {
		l := &loads[i]
		begun, admitted, allowed := 0.0, 0.0, 0.0
		for _, iv := range recent {
			for j := range iv.Load {
				if iv.Load[j].Execution == l.Execution {
					begun += float64(iv.Load[j].Started)
					admitted += float64(iv.Load[j].RequestsAdmitted)
					allowed += float64(iv.Load[j].RequestsPlanned)
				}
			}
		}
		seconds := float64(max(len(recent), 1))
		text := report.Plural(int(l.Users), "user")
		switch {
		case l.Open:
			text += ", iterations " + report.PerSecond(begun/seconds, true) + " of " + report.PerSecond(l.Planned, true)
		default:
			text = fmt.Sprintf("%d of %s", l.Users, report.Plural(int(math.Round(l.Planned)), "user"))
		}
		if allowed > 0 {
			text += ", capped requests " + report.PerSecond(admitted/seconds, true) + " of " + report.PerSecond(allowed/seconds, true)
		}
		if len(loads) > 1 {
			text = report.Clean(l.Execution) + " " + text
		}
		parts = append(parts, text)
	}
	return paint.Dim(report.Pad("load", nameColumns, false)) + strings.Join(parts, paint.Dim(" · "))
}

// nameColumns is the width of the names that stand before figures and charts.
const nameColumns = 10

// figuresLine is rate and response times of some time.
func figuresLine(paint report.Palette, name string, row *metrics.Row, rate string, more ...string) string {
	parts := []string{paint.Dim(report.Pad(name, nameColumns, false)) + report.Pad(rate, 8, true)}
	if row.Response.Count == 0 {
		parts = append(parts, "no answer yet")
	} else {
		for _, q := range []float64{50, 95, 99} {
			parts = append(parts, paint.Dim(fmt.Sprintf("p%.0f ", q))+report.Pad(report.Nanoseconds(row.Response.Quantile(q)), 6, true))
		}
	}
	return strings.Join(append(parts, more...), "  ")
}

// mostAgents is how many agents are named in a line.
const mostAgents = 6

// agentsLine tells of the processes of a distributed run: how many carry out their share, and what is missing; "" for a run in one process.
func agentsLine(paint report.Palette, agents []metrics.AgentSummary) string {
	if len(agents) == 0 {
		return ""
	}
	var parts []string
	working, missing := 0, 0.0
	// Those whose share is missing are named first.
	ordered := slices.Clone(agents)
	slices.SortStableFunc(ordered, func(a, b metrics.AgentSummary) int {
		switch first, second := a.State.Missing(), b.State.Missing(); {
		case first == second:
			return 0
		case first:
			return -1
		}
		return 1
	})
	for i, a := range ordered {
		text := report.Clean(a.Name) + " " + criteria.Percent(100*a.Share)
		if a.State != metrics.AgentRunning {
			text += " " + a.State.String()
		}
		switch {
		case a.State.Missing():
			missing += a.Share
			text = paint.Bad(text)
		case a.State == metrics.AgentRunning:
			working++
		}
		switch {
		case i < mostAgents:
			parts = append(parts, text)
		case i == mostAgents:
			parts = append(parts, "…")
		}
	}
	line := paint.Dim(report.Pad("agents", nameColumns, false)) + fmt.Sprintf("%d of %d running", working, len(agents))
	if missing > 0 {
		line += ", " + paint.Bad(criteria.Percent(math.Round(100*missing))+" of the load is missing")
	}
	return line + ": " + strings.Join(parts, ", ")
}
