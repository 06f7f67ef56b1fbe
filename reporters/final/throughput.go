package final

import (
	"fmt"

	"github.com/stacrun/stacrun/reporters/report"
)

// missed is the share of a throughput, in percent, below which it is said that it was not reached.
const missed = 95

// printThroughput tells of the caps that were taken for a promise: too few users sent less than was let through.
func (f *Final) printThroughput(w *report.Writer, paint report.Palette, t *report.Totals) {
	for _, whole := range t.Loads() {
		x := whole.Measured()
		percent := 100 * float64(x.RequestsAdmitted) / float64(x.RequestsPlanned)
		if x.RequestsPlanned == 0 || percent >= missed {
			continue
		}
		reached := fmt.Sprintf("%d of %d requests planned", x.RequestsAdmitted, x.RequestsPlanned)
		admitted, known := t.PerSecond(x.RequestsAdmitted, x.Execution)
		if planned, _ := t.PerSecond(x.RequestsPlanned, x.Execution); known {
			reached = report.PerSecond(admitted, true) + " of " + report.PerSecond(planned, true) + " planned"
		}
		w.Line(paint.Warn(fmt.Sprintf("throughput: %s reached %s (%.0f%%); more users are needed", report.Clean(x.Execution), reached, percent)))
	}
}
