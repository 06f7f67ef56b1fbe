package json

import (
	"math"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Summary is the content of summary.json. Times are in the unit that their name ends in; what was
// not measured is null. All counts of Requests include the warm-up, so that they reconcile
// (started = finished + interrupted; dropped counts iterations and stands outside that sum); Total
// and Labels leave it out.
type Summary struct {
	Outcome    string      `json:"outcome"` // passed, failed, interrupted, error
	ExitCode   int         `json:"exit_code"`
	Reason     string      `json:"reason"`
	Errors     []string    `json:"errors"`
	Notices    []string    `json:"notices"` // what fails nothing, such as figures that a receiver did not take
	Name       string      `json:"name"`
	Started    string      `json:"started"` // RFC 3339
	Ended      *string     `json:"ended"`   // RFC 3339; null: not known
	DurationS  float64     `json:"duration_s"`
	Requests   Requests    `json:"requests"`
	Iterations Iterations  `json:"iterations"`
	Executions []Execution `json:"executions"` // by name
	Total      Label       `json:"total"`
	Labels     []Named     `json:"labels"`
	Criteria   []Criterion `json:"criteria"`
	Failures   []Failure   `json:"failures"`
	Generator  Generator   `json:"generator"`
	Agents     []Agent     `json:"agents,omitempty"` // of a distributed run, by name
	Seed       uint64      `json:"seed"`
	Files      []string    `json:"files"` // that the run was read from, in the order they were merged
	Version    string      `json:"version"`
	Artifacts  []Artifact  `json:"artifacts"` // that the run left

	Machines []report.Machine `json:"machines"` // that made the load
}

// Requests counts requests; Dropped counts iterations.
type Requests struct {
	Started     int64 `json:"started"`
	Finished    int64 `json:"finished"`
	Interrupted int64 `json:"interrupted"`
	Dropped     int64 `json:"dropped"`
	Failed      int64 `json:"failed"`
	Exchanges   int64 `json:"exchanges"`
	WarmUp      int64 `json:"warm_up"` // of finished

	// Of the others: those of the warm-up.
	StartedWarm     int64 `json:"started_warm_up"`
	InterruptedWarm int64 `json:"interrupted_warm_up"`
	FailedWarm      int64 `json:"failed_warm_up"`
	ExchangesWarm   int64 `json:"exchanges_warm_up"`
}

// Iterations counts iterations: scheduled = started + dropped, started = finished + interrupted.
type Iterations struct {
	Scheduled   int64            `json:"scheduled"`
	Started     int64            `json:"started"`
	Finished    int64            `json:"finished"`
	Interrupted int64            `json:"interrupted"`
	Dropped     map[string]int64 `json:"dropped"` // by reason

	// Of them: due in the warm-up.
	ScheduledWarm   int64 `json:"scheduled_warm_up"`
	StartedWarm     int64 `json:"started_warm_up"`
	FinishedWarm    int64 `json:"finished_warm_up"`
	InterruptedWarm int64 `json:"interrupted_warm_up"`
	DroppedWarm     int64 `json:"dropped_warm_up"`
}

// Agent is what one process of a distributed run did.
type Agent struct {
	Name         string  `json:"name"`
	Host         string  `json:"host"`
	State        string  `json:"state"`         // ended; left or lost: its share of the load is missing from since_s on
	SinceS       int64   `json:"since_s"`       // second from which on it was in this state
	SharePercent float64 `json:"share_percent"` // of the load that it was given
	Requests     int64   `json:"requests"`      // finished
	Failed       int64   `json:"failed"`
	CPUShareMax  float64 `json:"cpu_share_max"`        // of its processors, 0…1
	LagP99MS     float64 `json:"scheduler_lag_p99_ms"` // at most
}

// agents lists what each agent did.
func agents(snapshot *metrics.Snapshot) (list []Agent) {
	for _, a := range snapshot.Agents() {
		list = append(list, Agent{
			Name: a.Name, Host: a.Host, State: a.State.String(), SinceS: a.Since, SharePercent: round(100 * a.Share), Requests: a.Finished, Failed: a.Failed,
			CPUShareMax: round(a.CPUShareMax), LagP99MS: *milliseconds(float64(a.SchedulerLagP99Max)),
		})
	}
	return list
}

// Execution is how much of its plan an execution reached.
type Execution struct {
	Name            string   `json:"name"`
	AchievedPercent *float64 `json:"achieved_percent"` // of the planned arrivals or throughput; null where neither was asked for
}

// Label holds the figures of one label, or of all requests.
type Label struct {
	Count         int64            `json:"count"`
	Failures      int64            `json:"failures"`
	Rate          *float64         `json:"rate"` // per second of the measured time; null when that is too short
	BytesSent     int64            `json:"bytes_sent"`
	BytesReceived int64            `json:"bytes_received"`
	Service       Times            `json:"service_ms"`
	Response      Times            `json:"response_ms"`
	Codes         map[string]int64 `json:"codes"`
	Faults        map[string]int64 `json:"faults"`
	FirstByte     *float64         `json:"first_byte_mean_ms"`
	Connect       *float64         `json:"connect_mean_ms"` // of the samples that connected
	Connections   int64            `json:"connections"`
	ClientWork    *float64         `json:"client_work_mean_ms"` // the generator's own work on answers, outside all times
	Corrected     *Times           `json:"corrected_ms"`        // response times corrected by expected-interval: estimated, not measured
	Metric        *Metric          `json:"metric"`              // of the number that an extractor takes out of the answers
}

// Metric is the distribution of a number that was taken out of answers, in its own unit.
type Metric struct {
	Name  string  `json:"name"`
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Named is a label with its name and what it counts.
type Named struct {
	Name string `json:"label"`
	Kind string `json:"kind"` // request, transaction, iteration, resource
	Label
}

// Times is a distribution in milliseconds, all null when it is empty.
type Times struct {
	Min   *float64 `json:"min"`
	Mean  *float64 `json:"mean"`
	Stdev *float64 `json:"stdev"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P95   *float64 `json:"p95"`
	P99   *float64 `json:"p99"`
	P999  *float64 `json:"p999"`
	Max   *float64 `json:"max"`
}

// Criterion is the verdict on one criterion.
type Criterion struct {
	Text     string   `json:"text"`
	Result   string   `json:"result"`   // passed, failed, not-evaluated
	Observed *string  `json:"observed"` // with unit; null when nothing was seen
	Limit    string   `json:"limit"`    // what passes
	Label    *string  `json:"label"`    // null: all
	SinceS   *float64 `json:"since_s"`  // null unless a window triggered
	Counts   bool     `json:"counts"`   // against the run
	Noticed  bool     `json:"noticed"`  // triggered, but as non-failed
	Reason   *string  `json:"reason"`   // of not-evaluated
	Message  *string  `json:"message"`
}

// Failure is one distinct failure text.
type Failure struct {
	Label string `json:"label"`
	Fault string `json:"fault"`
	Code  int    `json:"code"` // 0: no answer
	Text  string `json:"text"`
	Count int64  `json:"count"`
}

// Generator is how the load generator itself fared.
type Generator struct {
	CPUShare     float64 `json:"cpu_share"` // mean, of the processors that it may use, 0…1
	CPUShareMax  float64 `json:"cpu_share_max"`
	LagP99MS     float64 `json:"lag_p99_ms"` // the worst second's
	GCPauseMaxMS float64 `json:"gc_pause_max_ms"`
	StallMaxMS   float64 `json:"stall_max_ms"` // 0: it never stood still for a tenth of a second
	Bottleneck   bool    `json:"bottleneck"`
	Reason       string  `json:"reason"`
}

// Artifact is a file that the run left.
type Artifact struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}

// NewSummary makes the summary of a run.
func NewSummary(run report.Run, o *report.Outcome) *Summary {
	t := report.NewTotals(o.Snapshot)
	s := &Summary{
		Outcome: string(o.Result), ExitCode: o.ExitCode, Reason: o.Reason, Errors: append([]string{}, o.Errors...),
		Notices: append([]string{}, o.Notices...),
		Name:    run.Name, Started: run.Started.Format(time.RFC3339Nano), DurationS: round(o.Duration.Seconds()),
		Requests: Requests{
			Started: t.Requests.Started, Finished: t.Requests.Finished, Interrupted: t.Requests.Interrupted,
			Dropped: t.Iterations.Dropped, Failed: t.Failed, Exchanges: t.Exchanges, WarmUp: t.RequestsWarm.Finished,
			StartedWarm: t.RequestsWarm.Started, InterruptedWarm: t.RequestsWarm.Interrupted, FailedWarm: t.FailedWarm, ExchangesWarm: t.ExchangesWarm,
		},
		Iterations: Iterations{
			Scheduled: t.Iterations.Scheduled, Started: t.Iterations.Started, Finished: t.Iterations.Finished,
			Interrupted: t.Iterations.Interrupted, Dropped: map[string]int64{},
			ScheduledWarm: t.IterationsWarm.Scheduled, StartedWarm: t.IterationsWarm.Started, FinishedWarm: t.IterationsWarm.Finished,
			InterruptedWarm: t.IterationsWarm.Interrupted, DroppedWarm: t.IterationsWarm.Dropped,
		},
		Executions: newExecutions(t), Total: newLabel(t.Total, t), Labels: []Named{}, Criteria: []Criterion{}, Failures: []Failure{},
		Generator: Generator{
			CPUShare: round(t.Health.CPUShareMean), CPUShareMax: round(t.Health.CPUShareMax),
			LagP99MS: *milliseconds(float64(t.Health.SchedulerLagP99Max)), GCPauseMaxMS: *milliseconds(float64(t.Health.GCPauseMax)),
			StallMaxMS: *milliseconds(float64(t.Health.StallMax)),
			Bottleneck: t.Health.Bottleneck, Reason: t.Health.Reason,
		},
		Agents: agents(o.Snapshot),
		Seed:   run.Seed, Files: append([]string{}, run.Files...), Artifacts: []Artifact{}, Version: run.Version,
		Machines: append([]report.Machine{}, run.Machines...),
	}
	if !o.Ended.IsZero() {
		s.Ended = text(o.Ended.Format(time.RFC3339Nano))
	}
	for reason, n := range t.Dropped {
		s.Iterations.Dropped[metrics.Drop(reason).String()] = n
	}
	corrected := report.Corrected(&run, o.Snapshot)
	s.Total.Corrected = newCorrected(corrected[""])
	for _, row := range t.Labels {
		named := Named{Name: row.Label, Kind: report.KindName(row.Kind), Label: newLabel(row, t)}
		if row.Kind == metrics.RequestKind {
			named.Corrected = newCorrected(corrected[row.Label])
			if n, ok := run.Number(row); ok {
				named.Metric = newMetric(&n)
			}
		}
		s.Labels = append(s.Labels, named)
	}
	for _, v := range o.Verdicts {
		s.Criteria = append(s.Criteria, newCriterion(v))
	}
	for _, e := range t.Errors {
		if e.WarmUp {
			continue
		}
		s.Failures = append(s.Failures, Failure{Label: e.Label, Fault: e.Fault.String(), Code: e.Code, Text: e.Text, Count: e.Count})
	}
	for _, f := range o.Files {
		s.Artifacts = append(s.Artifacts, Artifact{Path: f.Path, Kind: f.Kind})
	}
	return s
}

func newExecutions(t *report.Totals) []Execution {
	list := []Execution{}
	for _, l := range t.Loads() {
		x := Execution{Name: l.Execution}
		m := l.Measured()
		reached, planned := m.RequestsAdmitted, m.RequestsPlanned
		if m.Open {
			reached, planned = m.Started, m.Scheduled
		}
		if planned > 0 {
			percent := round(100 * float64(reached) / float64(planned))
			x.AchievedPercent = &percent
		}
		list = append(list, x)
	}
	return list
}

func newLabel(row *metrics.Row, t *report.Totals) Label {
	l := Label{
		Count: row.Finished, Failures: row.Failed, BytesSent: row.BytesOut, BytesReceived: row.BytesIn,
		Service: newTimes(&row.Service), Response: newTimes(&row.Response),
		Codes: map[string]int64{}, Faults: map[string]int64{}, Connections: row.Connect.Count,
	}
	if rate, ok := t.Rate(row); ok {
		rate = round(rate)
		l.Rate = &rate
	}
	for code, n := range row.Codes {
		if n > 0 && row.Kind != metrics.IterationKind && row.Kind != metrics.TransactionKind { // those have no status
			l.Codes[strconv.Itoa(code)] = n
		}
	}
	for f, n := range row.Faults {
		if n > 0 && metrics.Fault(f) != metrics.NoFault {
			l.Faults[metrics.Fault(f).String()] = n
		}
	}
	if row.Latency.Count > 0 {
		l.FirstByte = milliseconds(row.Latency.Mean())
	}
	if row.Connect.Count > 0 {
		l.Connect = milliseconds(row.Connect.Mean())
	}
	if row.ClientWork.Total > 0 {
		l.ClientWork = milliseconds(row.ClientWork.Mean())
	}
	return l
}

// newCorrected has percentiles only: what was added was not measured.
func newCorrected(h *metrics.Histogram) *Times {
	if h.Count() == 0 {
		return nil
	}
	at := func(q float64) *float64 { return milliseconds(float64(h.Quantile(q)) * 1000) }
	return &Times{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: at(100)}
}

func newMetric(n *report.Number) *Metric {
	return &Metric{
		Name: n.Name, Count: n.Count, Min: round(n.Min), Mean: round(n.Mean), P50: round(n.P50), P95: round(n.P95), P99: round(n.P99), Max: round(n.Max),
	}
}

func newTimes(s *metrics.Series) Times {
	if s.Count == 0 {
		return Times{}
	}
	return Times{
		Min: milliseconds(float64(s.Min)), Mean: milliseconds(s.Mean()), Stdev: milliseconds(s.Stdev()),
		P50: milliseconds(s.Quantile(50)), P90: milliseconds(s.Quantile(90)), P95: milliseconds(s.Quantile(95)),
		P99: milliseconds(s.Quantile(99)), P999: milliseconds(s.Quantile(99.9)), Max: milliseconds(float64(s.Max)),
	}
}

func newCriterion(v criteria.Verdict) Criterion {
	c := Criterion{
		Text: v.Text, Result: string(v.Result), Observed: text(v.Observed), Limit: v.Limit, Label: text(v.Rule.Label),
		Counts: v.Fails, Reason: text(v.Reason), Message: text(v.Rule.Message),
	}
	if v.Result == criteria.Noticed {
		c.Result, c.Noticed = string(criteria.Passed), true
	}
	if v.Windowed && (v.Result == criteria.Failed || v.Result == criteria.Noticed) {
		since := v.Since.Seconds()
		c.SinceS = &since
	}
	return c
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// milliseconds turns ns into milliseconds, to the nanosecond.
func milliseconds(ns float64) *float64 {
	ms := round(ns / 1e6)
	return &ms
}

// round keeps six decimals: more would be noise of floating point numbers.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }
