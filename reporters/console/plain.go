package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// plainLine says how the last seconds went:
//
//	00:05  10 users  123/s  p50 12ms  p95 34ms  p99 50ms  failed 3 of 612 (0.49%): 2 reset, 1 status
//
// The last one ends with the last answer, as the seconds after it are not load; "" where there was none since the line before.
func plainLine(run report.Run, iv *metrics.Interval, snap *metrics.Snapshot, seconds int) string {
	recent := snap.Recent(max(1, seconds), true)
	row := recent.Total
	at, rate := time.Duration(iv.Second+1)*time.Second, recent.Rate(row)
	if iv.Final {
		from := time.Duration(iv.Second+1-int64(seconds)) * time.Second
		covered := time.Duration(row.LastEnd) - from
		if row.Finished == 0 || covered <= 0 {
			return ""
		}
		at, rate = time.Duration(row.LastEnd), float64(row.Finished)/covered.Seconds()
	}
	parts := []string{report.Clock(at)}
	if run.Duration > 0 {
		parts[0] += "/" + report.Clock(run.Duration)
	}
	parts = append(parts, usersText(iv), report.PerSecond(rate, true))
	if text := missingText(snap.Agents()); text != "" {
		parts = append(parts, text)
	}
	if dropped := droppedIn(snap); dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d iterations dropped", dropped))
	}
	if row.Response.Count == 0 {
		return strings.Join(append(parts, "no answer yet"), "  ")
	}
	for _, q := range []float64{50, 95, 99} {
		parts = append(parts, fmt.Sprintf("p%.0f %s", q, report.Nanoseconds(row.Response.Quantile(q))))
	}
	parts = append(parts, failedText(row))
	return strings.Join(parts, "  ")
}

// usersText counts users; at the end those that there were, as none is left.
func usersText(iv *metrics.Interval) string {
	var users int64
	for i := range iv.Load {
		if iv.Final {
			users += iv.Load[i].UsersPeak
		} else {
			users += iv.Load[i].Users
		}
	}
	return report.Plural(int(users), "user")
}

// missingText says how many agents of a distributed run no longer carry out their share; "" when all do.
func missingText(agents []metrics.AgentSummary) string {
	missing := 0
	for _, a := range agents {
		if a.State.Missing() {
			missing++
		}
	}
	if missing == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s missing", missing, report.Plural(len(agents), "agent"))
}

// droppedIn counts the iterations that were dropped behind the warm-up.
func droppedIn(snap *metrics.Snapshot) int64 { return snap.IterationsOf(false).Dropped }

// failedText counts failures by kind, most frequent first.
func failedText(row *metrics.Row) string {
	if row.Failed == 0 {
		return "failed 0"
	}
	text := fmt.Sprintf("failed %d of %d (%s)", row.Failed, row.Finished, report.Share(row.Failed, row.Finished))
	if kinds := faultsText(row, 3); kinds != "" {
		text += ": " + kinds
	}
	return text
}

func faultsText(row *metrics.Row, most int) string {
	type kind struct {
		fault metrics.Fault
		count int64
	}
	var kinds []kind
	for f, n := range row.Faults {
		if n > 0 && metrics.Fault(f) != metrics.NoFault {
			kinds = append(kinds, kind{metrics.Fault(f), n})
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(b.count, a.count) })
	var parts []string
	for i, k := range kinds {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", k.count, k.fault))
	}
	return strings.Join(parts, ", ")
}
