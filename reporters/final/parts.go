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

type criteriaVerdict = criteria.Verdict

// printFailures writes each kind of failure with its count and one example.
func printFailures(w *report.Writer, paint report.Palette, t *report.Totals, width int) {
	type kind struct {
		label string
		fault metrics.Fault
		count int64
	}
	var kinds []kind
	for _, row := range t.Labels {
		if row.Kind == metrics.IterationKind {
			continue // what failed inside it is listed under its own label
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
		if text := example(t.Errors, k.label, k.fault); text != "" {
			line += ": " + text
		}
		w.Line(report.Fit(line, width))
	}
	w.Line()
}

// example gives the most frequent text of a fault of a label.
func example(errors []metrics.ErrorText, label string, fault metrics.Fault) string {
	for _, e := range errors {
		if e.Label == label && e.Fault == fault {
			return report.Clean(e.Text)
		}
	}
	return ""
}

// printCounts writes the counts so that a reader can add them up.
func printCounts(w *report.Writer, t *report.Totals) {
	i := t.Iterations
	line := fmt.Sprintf("iterations: %d scheduled = %d started + %d dropped", i.Scheduled, i.Started, i.AllDropped())
	if i.AllDropped() > 0 {
		var reasons []string
		for reason, n := range i.Dropped {
			if n > 0 {
				reasons = append(reasons, fmt.Sprintf("%d %s", n, metrics.Drop(reason)))
			}
		}
		line += " (" + strings.Join(reasons, ", ") + ")"
	}
	w.Line(line, fmt.Sprintf("; %d started = %d finished + %d interrupted", i.Started, i.Finished, i.Interrupted))
	r := t.Requests
	w.Line(fmt.Sprintf("requests: %d started = %d finished + %d interrupted; %d failed", r.Started, r.Finished, r.Interrupted, r.Failed),
		ofAll(r), fmt.Sprintf("; %d exchanges on the wire", r.Exchanges))
	if r.WarmUp > 0 {
		w.Line(fmt.Sprintf("  of the finished ones %d were warm-up and stand in no other figure", r.WarmUp))
	}
	if !i.Reconciles() || !r.Reconciles() {
		w.Line("  these counts do not add up: part of the results is missing")
	}
}

func ofAll(r report.Requests) string {
	if r.Finished == 0 {
		return ""
	}
	return " (" + report.Share(r.Failed, r.Finished) + ")"
}

// printGenerator says in one sentence whether the generator shaped what was measured.
func printGenerator(w *report.Writer, paint report.Palette, o *report.Outcome) {
	h := o.Snapshot.Health()
	figures := fmt.Sprintf("CPU %s mean, %s at most; scheduler lag p99 %s; GC pause %s",
		criteria.Percent(100*h.CPUShareMean), criteria.Percent(100*h.CPUShareMax),
		report.Nanoseconds(float64(h.SchedulerLagP99)), report.Nanoseconds(float64(h.GCPauseMax)))
	if h.Bottleneck {
		w.Line(paint.Warn("generator: the bottleneck was on this side: " + h.Reason + "; the times above are not the target's alone (" + figures + ")"))
		return
	}
	w.Line("generator: not the bottleneck (", figures, ")")
}
