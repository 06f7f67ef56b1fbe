package html

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Fact is a line about the run or its machine.
type Fact struct{ Name, Value string }

// execution is a line about one execution.
type execution struct{ Name, Model, Ends, Users, Scheduled, Started, Finished, Dropped, Warm string }

// newExecutions lists them, warm-up left out, and says whether one had iterations in it.
func newExecutions(d *Data) (list []execution, warmed bool) {
	known := map[string]report.Execution{}
	for _, e := range d.Run.Executions {
		known[e.Name] = e
	}
	for _, whole := range d.Outcome.Snapshot.Loads() {
		l, warm := whole.Measured(), whole.WarmUp.Scheduled
		warmed = warmed || warm > 0
		dropped := int64(0)
		for _, n := range l.Dropped {
			dropped += n
		}
		e := execution{
			Name: report.Clean(l.Execution), Model: "users (closed model)", Ends: report.Clean(known[l.Execution].Ends), Users: report.Thousands(l.UsersPeak),
			Scheduled: report.Thousands(l.Scheduled), Started: report.Thousands(l.Started), Finished: report.Thousands(l.Finished), Dropped: report.Thousands(dropped), Warm: report.Thousands(warm),
		}
		if l.Open {
			e.Model = "arrivals (open model)"
		}
		list = append(list, e)
	}
	return list, warmed
}

// newCounts writes the counts so that a reader can add them up.
func newCounts(t *report.Totals) []Fact {
	i, r := t.Iterations, t.Requests
	list := []Fact{
		{"iterations", fmt.Sprintf("%s due = %s started + %s dropped", report.Thousands(i.Scheduled), report.Thousands(i.Started), report.Thousands(i.Dropped))},
		{"", fmt.Sprintf("%s started = %s finished + %s interrupted", report.Thousands(i.Started), report.Thousands(i.Finished), report.Thousands(i.Interrupted))},
		{"requests", fmt.Sprintf("%s started = %s finished + %s interrupted", report.Thousands(r.Started), report.Thousands(r.Finished), report.Thousands(r.Interrupted))},
		{"", report.Thousands(t.Failed) + " of the finished ones failed"},
		{"on the wire", report.Thousands(t.Exchanges) + " exchanges, redirects, retries and warm-up included"},
	}
	if i := t.IterationsWarm; i.Scheduled > 0 {
		list = append(list, Fact{"of it warm-up", fmt.Sprintf("%s iterations due = %s started + %s dropped, %s finished + %s interrupted",
			report.Thousands(i.Scheduled), report.Thousands(i.Started), report.Thousands(i.Dropped), report.Thousands(i.Finished), report.Thousands(i.Interrupted))})
	}
	if r := t.RequestsWarm; r.Started > 0 {
		list = append(list, Fact{"of it warm-up", fmt.Sprintf("%s requests started = %s finished + %s interrupted, %s failed; %s exchanges. No other figure counts them",
			report.Thousands(r.Started), report.Thousands(r.Finished), report.Thousands(r.Interrupted), report.Thousands(t.FailedWarm), report.Thousands(t.ExchangesWarm))})
	}
	if t.Total.Connect.Count > 0 {
		list = append(list, Fact{"connections", report.Thousands(t.Total.Connect.Count) + " made, " + report.Nanoseconds(t.Total.Connect.Mean()) + " on average"})
	}
	if t.Total.ClientWork.Total > 0 {
		list = append(list, Fact{"client's own work", report.Nanoseconds(t.Total.ClientWork.Mean()) + " per request, outside all times above"})
	}
	return append(list, newHealth(t.Health)...)
}

func newHealth(h metrics.HealthSummary) []Fact {
	if h.Seconds == 0 {
		return nil
	}
	verdict := "not the bottleneck"
	if h.Bottleneck {
		verdict = "the bottleneck: " + h.Reason
	}
	list := []Fact{
		{"generator", verdict},
		{"", "CPU " + criteria.Percent(100*h.CPUShareMean) + " on average, " + criteria.Percent(100*h.CPUShareMax) + " at most"},
		{"", "scheduler lag p99 " + report.Nanoseconds(float64(h.SchedulerLagP99Max)) + ", GC pause " + report.Nanoseconds(float64(h.GCPauseMax)) + " at most"},
	}
	if h.StallMax > 0 {
		list = append(list, Fact{"", "stood still for " + report.Nanoseconds(float64(h.StallMax)) + " at most, which the longest times may hold"})
	}
	if h.MemoryBytesMax > 0 {
		list = append(list, Fact{"", "memory " + report.Bytes(h.MemoryBytesMax) + ", descriptors " + report.Thousands(h.DescriptorsMax) + " at most"})
	}
	return list
}

func newFacts(d *Data) []Fact {
	var list []Fact
	add := func(name, value string) {
		if value != "" {
			list = append(list, Fact{name, report.Clean(value)})
		}
	}
	add("files", strings.Join(d.Run.Files, ", "))
	if !d.Run.Started.IsZero() {
		add("started", d.Run.Started.Format("2006-01-02 15:04:05 -07:00"))
	}
	if !d.Outcome.Ended.IsZero() {
		add("ended", d.Outcome.Ended.Format("2006-01-02 15:04:05 -07:00"))
	}
	add("planned end", d.Run.Ends)
	add("seed", strconv.FormatUint(d.Run.Seed, 10))
	add("exit code", strconv.Itoa(d.Outcome.ExitCode))
	for i := range d.Run.Machines {
		for _, f := range d.Run.Machines[i].Facts() {
			add(f[0], f[1])
		}
	}
	add("stacrun", d.Run.Version)
	add("artifacts", d.Run.Dir)
	return list
}
