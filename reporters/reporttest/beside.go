package reporttest

import (
	"time"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Beside is the made-up run with what stands beside times: answers of "GET /search" say that they took 1, 2, … 10 of something named
// took, each as often; requests of a user were expected every 20 ms; and there is something worth knowing that fails nothing.
func Beside(dir string) (report.Run, []*metrics.Interval, *report.Outcome) {
	run := Run(dir)
	run.Metrics = map[string]string{"GET /search": "took"}
	run.Executions[0].ExpectedInterval = 20 * time.Millisecond
	intervals := Intervals()
	for _, iv := range intervals {
		for i := range iv.Rows {
			if row := &iv.Rows[i]; row.Label == "GET /search" && !row.WarmUp {
				for n := int64(1); n <= 10; n++ {
					row.Metric.Record(1000 * n)
				}
			}
		}
	}
	o := Outcome()
	o.Snapshot = Snapshot(intervals)
	o.Notices = []string{"influx: 3 of 40 batches were <lost>"}
	return run, intervals, o
}
