package config

import (
	"time"

	"github.com/stacrun/stacrun/diag"
)

// Studies are the blocks of a document that describe many runs of it. A plain run passes over them.
type Studies struct {
	Benchmark *BenchmarkStudy // nil: not written
	Compare   *CompareStudy
	Capacity  *CapacityStudy
}

// BenchmarkStudy is `benchmark:`, a sweep over addresses and numbers of users.
type BenchmarkStudy struct {
	Addresses []Text // base addresses that take the place of default-address
	Users     []int
	RunTime   Value[time.Duration] // of each run, its ramp included
	SpawnRate Value[float64]       // users started per second
	WarmUp    Value[time.Duration] // a run before the first one of each address, not counted
	Pause     Value[time.Duration] // between two runs
	Ingest    Value[bool]          // create the sample where it is missing
	Output    Text                 // CSV file
	Pos       diag.Pos
}

// CompareStudy is `compare:`, one or several comparisons of variants of the document.
type CompareStudy struct {
	Repeats    Value[int]           // runs of each side at most
	Precision  Value[float64]       // percent: half-width of the interval at which it is enough
	Confidence Value[float64]       // percent
	Pause      Value[time.Duration] // between two runs
	List       []Comparison
	Pos        diag.Pos
}

// Comparison is one row of a [CompareStudy].
type Comparison struct {
	Title    string
	Baseline Variant
	Variants []Variant // at least one
	Pos      diag.Pos
}

// Variant is a named list of overrides.
type Variant struct {
	Name      string
	Overrides []string // "path=value", as -o has them
	Pos       diag.Pos
}

// CapacityStudy is `capacity:`, the search for the highest load that holds objectives.
type CapacityStudy struct {
	Objectives []Text               // what must hold
	Load       string               // "arrival-rate" or "concurrency"; "": as the execution is loaded
	From, To   Value[float64]       // iterations per second or users: where to begin, and the highest to try
	Step       Value[time.Duration] // measured part of each step
	WarmUp     Value[time.Duration] // before it
	CoolDown   Value[time.Duration] // after it
	Precision  Value[float64]       // percent: how close the two ends of the answer must be
	Confirm    Value[int]           // how often the answer is measured again
	Pos        diag.Pos
}
