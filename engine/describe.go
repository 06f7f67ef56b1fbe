package engine

import "time"

// Description is what `plan` shows: its JSON form is a contract. Absent values are null.
type Description struct {
	Executions []ExecutionDescription `json:"executions"`
	Limits     Limits                 `json:"limits"`
}

// ExecutionDescription says what one execution will do.
type ExecutionDescription struct {
	Name          string       `json:"name"`
	Scenario      string       `json:"scenario"`
	Executor      *string      `json:"executor"`
	Model         string       `json:"model"` // "closed" or "open"
	Concurrency   *int         `json:"concurrency"`
	RampUp        *float64     `json:"ramp_up_s"`
	HoldFor       *float64     `json:"hold_for_s"`
	Iterations    *int         `json:"iterations"`
	Total         *int         `json:"total_iterations"` // all users together, at most; null: unlimited
	Duration      *float64     `json:"duration_s"`       // null: unlimited
	Steps         *int         `json:"steps"`
	Throughput    *float64     `json:"throughput"`
	ArrivalRate   *float64     `json:"arrival_rate"`
	Distribution  *string      `json:"distribution"` // poisson: total_iterations may be a mean; null: evenly
	Delay         *float64     `json:"delay_s"`
	StartAt       *time.Time   `json:"start_at"` // nil: at once, or behind the delay
	Ends          string       `json:"ends"`
	Load          [][2]float64 `json:"load"` // [seconds, users or rate]
	Labels        []string     `json:"labels"`
	Requests      *float64     `json:"requests_per_iteration"` // null: not known before the run
	DataSources   []SourceInfo `json:"data_sources"`
	Targets       []string     `json:"targets"`
	TotalRequests *int         `json:"total_requests"` // as Locust counts
	WarmUp        *float64     `json:"warm_up_s"`
	MaxUsers      *int         `json:"max_concurrency"`
	GracefulStopS float64      `json:"graceful_stop_s"`
}

// SourceInfo describes a data source.
type SourceInfo struct {
	Path string `json:"path"`
	Rows *int   `json:"rows"` // null: not counted, the file is streamed
	Loop bool   `json:"loop"`
}

// Limits are what the plan needs of the machine.
type Limits struct {
	DescriptorsNeeded int64  `json:"descriptors_needed"`
	DescriptorsHave   *int64 `json:"descriptors_have"` // null: unlimited or unknown
}
