package config

import (
	"time"

	"github.com/stacrun/stacrun/diag"
)

// Execution is one block under `execution:`: a load and the scenario that it drives.
type Execution struct {
	Name     string // unique: the scenario's name, with "-2", "-3" … for repeats
	Executor string // as written; "" for the default
	Scenario string // name of an entry of File.Scenarios
	Load     LoadShape
	Delay    time.Duration // after the start of the run
	StartAt  time.Time     // zero: at once
	Prepare  []Step        // once, before the measured window
	Finish   []Step        // once, after it
	Pos      diag.Pos
	Path     string // such as "execution.0"
}

// LoadShape is the shape of an execution's load. Closed and open model exclude each other: ArrivalRate
// (or stages with arrival rates) makes it open.
type LoadShape struct {
	Concurrency      Value[int]           // virtual users
	RampUp           Value[time.Duration] // ≥ 0
	HoldFor          Value[time.Duration] // ≥ 0, after RampUp
	Iterations       Value[int]           // per virtual user; 0 counts as not set
	TotalIterations  Value[int]           // all users together
	TotalRequests    Value[int]           // all users together, as Locust counts; Iterations is then also set
	Steps            Value[int]
	Throughput       Value[float64] // requests per second, an upper limit over all users
	SpawnRate        Value[float64] // users started per second
	ArrivalRate      Value[float64] // iterations started per second (open model)
	MaxConcurrency   Value[int]     // open model: users at most
	MaxWait          Value[time.Duration]
	Distribution     Value[string] // "constant" or "poisson"
	Stages           []Stage
	WarmUp           Value[time.Duration]
	GracefulStop     Value[time.Duration]
	ExpectedInterval Value[time.Duration]
}

// Stage is one leg of `stages:`: the level moves linearly from where the last stage ended.
type Stage struct {
	Duration    time.Duration
	Concurrency Value[int]
	ArrivalRate Value[float64] // per second
	Pos         diag.Pos
}
