package final

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// printFailures writes each kind of failure with its count and one example.
func printFailures(w *report.Writer, paint report.Palette, t *report.Totals, width int) {
	type kind struct {
		label string
		fault metrics.Fault
		count int64
	}
	var kinds []kind
	for _, row := range t.Labels {
		if row.Kind == metrics.IterationKind || row.Kind == metrics.TransactionKind || row.Kind == metrics.ResourceKind {
			continue // what failed inside is listed under its own label, and a resource fails its page
		}
		for f, n := range row.Faults {
			if n > 0 && metrics.Fault(f) != metrics.NoFault {
				kinds = append(kinds, kind{row.Label, metrics.Fault(f), n})
			}
		}
	}
	if len(kinds) == 0 {
		return
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return cmp.Compare(b.count, a.count) })
	w.Line(paint.Bold("failures"))
	countWidth := len(strconv.FormatInt(kinds[0].count, 10))
	for _, k := range kinds {
		line := fmt.Sprintf("  %*d × %s of %s", countWidth, k.count, k.fault, report.Clean(k.label))
		if text := report.Clean(t.Example(k.label, k.fault)); text != "" {
			line += ": " + text
		}
		w.Line(report.Fit(line, width))
	}
	w.Line()
}

// printCounts writes the counts so that a reader can add them up.
func printCounts(w *report.Writer, t *report.Totals) {
	i := t.Iterations
	line := fmt.Sprintf("iterations: %d scheduled = %d started + %d dropped", i.Scheduled, i.Started, i.Dropped)
	if i.Dropped > 0 {
		var reasons []string
		for reason, n := range t.Dropped {
			if n > 0 {
				reasons = append(reasons, fmt.Sprintf("%d %s", n, metrics.Drop(reason)))
			}
		}
		line += " (" + strings.Join(reasons, ", ") + ")"
	}
	w.Line(line, fmt.Sprintf("; %d started = %d finished + %d interrupted", i.Started, i.Finished, i.Interrupted))
	if i := t.IterationsWarm; i.Scheduled > 0 {
		w.Line(fmt.Sprintf("  warm-up among them: %d scheduled = %d started + %d dropped; %d started = %d finished + %d interrupted",
			i.Scheduled, i.Started, i.Dropped, i.Started, i.Finished, i.Interrupted))
	}
	r := t.Requests
	failed := ""
	if r.Finished > 0 {
		failed = " (" + report.Share(t.Failed, r.Finished) + ")"
	}
	w.Line(fmt.Sprintf("requests: %d started = %d finished + %d interrupted; %d failed%s; %d exchanges on the wire",
		r.Started, r.Finished, r.Interrupted, t.Failed, failed, t.Exchanges))
	if r := t.RequestsWarm; r.Started > 0 {
		w.Line(fmt.Sprintf("  warm-up among them, in no other figure: %d started = %d finished + %d interrupted; %d failed; %d exchanges on the wire",
			r.Started, r.Finished, r.Interrupted, t.FailedWarm, t.ExchangesWarm))
	}
	if err := t.Reconcile(); err != nil {
		w.Line("  part of the results is missing: ", err.Error())
	}
}

// printGenerator says in one sentence whether the generator shaped what was measured.
func printGenerator(w *report.Writer, paint report.Palette, h metrics.HealthSummary) {
	if h.Seconds == 0 {
		return
	}
	figures := fmt.Sprintf("CPU %s on average, %s at most; scheduler lag p99 %s, GC pause %s at most",
		criteria.Percent(100*h.CPUShareMean), criteria.Percent(100*h.CPUShareMax),
		report.Nanoseconds(float64(h.SchedulerLagP99Max)), report.Nanoseconds(float64(h.GCPauseMax)))
	if h.StallMax > 0 && !strings.Contains(h.Reason, "stood still") {
		figures += fmt.Sprintf("; it stood still for %s at most, which the longest times may hold", report.Nanoseconds(float64(h.StallMax)))
	}
	if !h.Bottleneck {
		w.Line("generator: not the bottleneck (", figures, ")")
		return
	}
	w.Line(paint.Warn("generator: it was the bottleneck, so the times above are not the target's alone: " + h.Reason + " (" + figures + ")"))
}
