package final

import (
	"fmt"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// printAgents writes a line per agent of a distributed run: what it did of the load, and whether it did all of its share.
func printAgents(w *report.Writer, paint report.Palette, agents []metrics.AgentSummary) {
	for i := range agents {
		a := &agents[i]
		share := criteria.Percent(100 * a.Share)
		text := fmt.Sprintf("agent %s (%s): %s of the load, %s requests, %s failed; CPU %s and scheduler lag p99 %s at most", report.Clean(a.Name), report.Clean(a.Host),
			share, report.Thousands(a.Finished), report.Thousands(a.Failed), criteria.Percent(100*a.CPUShareMax), report.Nanoseconds(float64(a.SchedulerLagP99Max)))
		switch a.State {
		case metrics.AgentLost:
			w.Line(paint.Bad(fmt.Sprintf("%s; LOST after %d s: %s of the plan is missing from then on", text, a.Since, share)))
		case metrics.AgentLeft:
			w.Line(paint.Bad(fmt.Sprintf("%s; it LEFT after %d s: %s of the plan is missing from then on", text, a.Since, share)))
		default:
			w.Line(text)
		}
	}
}
