package jsonlines

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

type runLine struct {
	Type       string   `json:"type"` // run
	Time       string   `json:"time"` // RFC 3339
	Name       string   `json:"name"`
	Files      []string `json:"files"`
	Seed       uint64   `json:"seed"`
	Version    string   `json:"version"`
	Ends       string   `json:"ends"`
	DurationS  float64  `json:"planned_duration_s"` // 0: unlimited
	Executions []string `json:"executions"`
}

// place says of what and of when a line is. Second counts from the start of the run; Sequence
// numbers the intervals of an agent from 1.
type place struct {
	Type     string `json:"type"`
	Time     string `json:"time"` // beginning of the second, RFC 3339
	Second   int64  `json:"second"`
	Sequence uint64 `json:"sequence"`
	Agent    string `json:"agent,omitempty"`
}

type trafficLine struct {
	place                      // traffic
	Execution string           `json:"execution"`
	Label     string           `json:"label"`
	Kind      string           `json:"kind"` // request, transaction, iteration, resource
	WarmUp    bool             `json:"warm_up"`
	Finished  int64            `json:"finished"`
	Failed    int64            `json:"failed"`
	Cut       int64            `json:"interrupted"`
	Exchanges int64            `json:"exchanges"`
	Sent      int64            `json:"bytes_sent"`
	Received  int64            `json:"bytes_received"`
	Codes     map[string]int64 `json:"codes"` // 0: no answer
	Faults    map[string]int64 `json:"faults"`
	Response  *times           `json:"response_ms"` // null when nothing finished
	Service   *times           `json:"service_ms"`
	FirstByte *times           `json:"first_byte_ms"`
	Connect   *times           `json:"connect_ms"`
}

type times struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

type loadLine struct {
	place                        // load
	Execution   string           `json:"execution"`
	Planned     float64          `json:"planned"` // users, or iterations per second when open
	Open        bool             `json:"open"`
	Users       int64            `json:"users"`
	UsersPeak   int64            `json:"users_peak"`
	Scheduled   int64            `json:"iterations_scheduled"`
	Started     int64            `json:"iterations_started"`
	Finished    int64            `json:"iterations_finished"`
	Interrupted int64            `json:"iterations_interrupted"`
	Dropped     map[string]int64 `json:"iterations_dropped"` // by reason
	Requests    int64            `json:"requests_started"`
	Capped      int64            `json:"requests_planned,omitempty"`  // that a throughput cap let begin
	Admitted    int64            `json:"requests_admitted,omitempty"` // that began under it

	// What of the above fell due in the warm-up.
	WarmScheduled int64            `json:"iterations_scheduled_warm_up,omitempty"`
	WarmStarted   int64            `json:"iterations_started_warm_up,omitempty"`
	WarmFinished  int64            `json:"iterations_finished_warm_up,omitempty"`
	WarmCut       int64            `json:"iterations_interrupted_warm_up,omitempty"`
	WarmDropped   map[string]int64 `json:"iterations_dropped_warm_up,omitempty"`
	WarmRequests  int64            `json:"requests_started_warm_up,omitempty"`
	WarmCapped    int64            `json:"requests_planned_warm_up,omitempty"`
	WarmAdmitted  int64            `json:"requests_admitted_warm_up,omitempty"`
}

type generatorLine struct {
	place               // generator
	CPUShare    float64 `json:"cpu_share"`
	LagP99MS    float64 `json:"lag_p99_ms"`
	LateP99MS   float64 `json:"pacer_late_p99_ms"`
	GCPauseMS   float64 `json:"gc_pause_max_ms"`
	StallMS     float64 `json:"stall_ms"`
	MemoryBytes int64   `json:"memory_bytes"`
	Goroutines  int64   `json:"goroutines"`
	Descriptors int64   `json:"descriptors"`
}

type eventLine struct {
	Type string `json:"type"` // event
	Time string `json:"time"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type endLine struct {
	Type      string      `json:"type"` // end
	Time      string      `json:"time"`
	Outcome   string      `json:"outcome"`
	ExitCode  int         `json:"exit_code"`
	Reason    string      `json:"reason"`
	Errors    []string    `json:"errors"`
	DurationS float64     `json:"duration_s"`
	Criteria  []criterion `json:"criteria"`
}

type criterion struct {
	Text     string `json:"text"`
	Result   string `json:"result"` // passed, failed, noticed, not-evaluated
	Observed string `json:"observed"`
	Limit    string `json:"limit"`
	Counts   bool   `json:"counts"` // against the run
}

func newEnd(o *report.Outcome) *endLine {
	end := &endLine{
		Type: "end", Time: stamp(o.Ended), Outcome: string(o.Result), ExitCode: o.ExitCode, Reason: o.Reason,
		Errors: append([]string{}, o.Errors...), DurationS: o.Duration.Seconds(), Criteria: []criterion{},
	}
	for _, v := range o.Verdicts {
		end.Criteria = append(end.Criteria, newCriterion(v))
	}
	return end
}

func newCriterion(v criteria.Verdict) criterion {
	return criterion{Text: v.Text, Result: string(v.Result), Observed: v.Observed, Limit: v.Limit, Counts: v.Fails}
}

func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

// encode writes the lines of an item.
func (j *JSONLines) encode(it item) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	switch {
	case it.run != nil:
		line := runLine{
			Type: "run", Time: stamp(it.run.Started), Name: it.run.Name, Files: append([]string{}, it.run.Files...), Seed: it.run.Seed,
			Version: it.run.Version, Ends: it.run.Ends, DurationS: it.run.Duration.Seconds(), Executions: []string{},
		}
		for _, x := range it.run.Executions {
			line.Executions = append(line.Executions, x.Name)
		}
		err := out.Encode(line)
		return b.Bytes(), err
	case it.end != nil:
		err := out.Encode(it.end)
		return b.Bytes(), err
	}
	err := j.second(out, it.iv)
	return b.Bytes(), err
}

// second writes the lines of an interval.
func (j *JSONLines) second(out *json.Encoder, iv *metrics.Interval) error {
	at := func(kind string) place {
		return place{
			Type: kind, Time: stamp(j.run.Started.Add(time.Duration(iv.Second) * time.Second)),
			Second: iv.Second, Sequence: iv.Sequence, Agent: iv.Source,
		}
	}
	for i := range iv.Rows {
		if err := out.Encode(newTraffic(at("traffic"), &iv.Rows[i])); err != nil {
			return err
		}
	}
	for i := range iv.Load {
		if err := out.Encode(newLoad(at("load"), &iv.Load[i])); err != nil {
			return err
		}
	}
	h := &iv.Health
	err := out.Encode(generatorLine{
		place: at("generator"), CPUShare: h.CPUShare, LagP99MS: milliseconds(h.SchedulerLagP99), LateP99MS: milliseconds(h.PacerLateP99),
		GCPauseMS: milliseconds(h.GCPauseMax), StallMS: milliseconds(h.Stall), MemoryBytes: h.MemoryBytes, Goroutines: h.Goroutines, Descriptors: h.Descriptors,
	})
	if err != nil {
		return err
	}
	for _, e := range iv.Events {
		line := eventLine{Type: "event", Time: stamp(j.run.Started.Add(time.Duration(e.At))), Kind: e.Kind, Text: e.Text}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func newTraffic(at place, r *metrics.Row) trafficLine {
	line := trafficLine{
		place: at, Execution: r.Execution, Label: r.Label, Kind: report.KindName(r.Kind), WarmUp: r.WarmUp,
		Finished: r.Finished, Failed: r.Failed, Cut: r.Interrupted, Exchanges: r.Exchanges, Sent: r.BytesOut, Received: r.BytesIn,
		Codes: map[string]int64{}, Faults: map[string]int64{},
		Response: newTimes(&r.Response), Service: newTimes(&r.Service), FirstByte: newTimes(&r.Latency), Connect: newTimes(&r.Connect),
	}
	for code, n := range r.Codes {
		if n > 0 {
			line.Codes[strconv.Itoa(code)] = n
		}
	}
	for fault, n := range r.Faults {
		if n > 0 {
			line.Faults[metrics.Fault(fault).String()] = n
		}
	}
	return line
}

func newLoad(at place, l *metrics.Load) loadLine {
	line := loadLine{
		place: at, Execution: l.Execution, Planned: l.Planned, Open: l.Open, Users: l.Users, UsersPeak: l.UsersPeak,
		Scheduled: l.Scheduled, Started: l.Started, Finished: l.Finished, Interrupted: l.Interrupted,
		Dropped: map[string]int64{}, Requests: l.RequestsStarted,
		Capped: l.RequestsPlanned, Admitted: l.RequestsAdmitted,
		WarmScheduled: l.WarmUp.Scheduled, WarmStarted: l.WarmUp.Started, WarmDropped: map[string]int64{},
		WarmFinished: l.WarmUp.Finished, WarmCut: l.WarmUp.Interrupted, WarmRequests: l.WarmUp.RequestsStarted,
		WarmCapped: l.WarmUp.RequestsPlanned, WarmAdmitted: l.WarmUp.RequestsAdmitted,
	}
	for reason, n := range l.Dropped {
		line.Dropped[metrics.Drop(reason).String()] = n
	}
	for reason, n := range l.WarmUp.Dropped {
		if n > 0 {
			line.WarmDropped[metrics.Drop(reason).String()] = n
		}
	}
	return line
}

// newTimes tells a distribution in milliseconds; nil when it is empty.
func newTimes(s *metrics.Series) *times {
	if s.Count == 0 {
		return nil
	}
	at := func(level float64) float64 { return s.Quantile(level) / 1e6 }
	return &times{
		Count: s.Count, Mean: s.Mean() / 1e6, Min: milliseconds(s.Min), P50: at(50), P90: at(90), P95: at(95), P99: at(99),
		Max: milliseconds(s.Max),
	}
}

func milliseconds(ns int64) float64 { return float64(ns) / 1e6 }
