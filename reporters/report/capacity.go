package report

import "encoding/json"

// Capacity is the highest load that held the objectives. Its JSON form is capacity.json.
type Capacity struct {
	Head

	Rate        *float64       `json:"rate,omitempty"`        // iterations per second; one of the two is set
	Concurrency *float64       `json:"concurrency,omitempty"` // users
	AtLeast     bool           `json:"at_least"`              // the search ended before the system gave way
	Low         float64        `json:"low"`                   // highest load that held, measured again; 0: none did
	High        *float64       `json:"high"`                  // lowest load that did not; null when none was found
	LimitedBy   string         `json:"limited_by"`            // latency, errors, dropped, generator, maximum, interrupted; "" when nothing was found
	FirstFailed string         `json:"first_failed"`          // the objective that gave way first
	Reason      string         `json:"reason"`                // one sentence
	Knee        *float64       `json:"knee"`                  // load from which times grow faster than the load; null when the curve shows none
	Confirmed   int            `json:"confirmed"`             // how often the load of Low was measured again and held
	Objectives  []string       `json:"objectives"`
	Curve       []CapacityStep `json:"curve"` // by load; every step that was measured
	Interrupted bool           `json:"interrupted"`
}

// CapacityStep is one measured load.
type CapacityStep struct {
	Level     float64  `json:"-"`
	Rate      *float64 `json:"rate,omitempty"`
	Users     *float64 `json:"concurrency,omitempty"`
	P50MS     float64  `json:"p50_ms"`
	P95MS     float64  `json:"p95_ms"`
	P99MS     float64  `json:"p99_ms"`
	Failures  float64  `json:"failures"` // percent of requests
	Achieved  float64  `json:"achieved"` // iterations finished per second of the measured time
	Dropped   int64    `json:"dropped"`  // iterations that were due and not started
	Held      bool     `json:"held"`
	LimitedBy string   `json:"limited_by"` // "" when it held
	Broken    []string `json:"broken"`     // objectives that did not hold, with what was seen
	Generator string   `json:"generator"`  // why the generator was the limit; "" when it was not
	Artifacts string   `json:"artifacts"`
}

// UnmarshalJSON reads a step back from capacity.json.
func (s *CapacityStep) UnmarshalJSON(text []byte) error {
	type form CapacityStep // without this method
	if err := json.Unmarshal(text, (*form)(s)); err != nil {
		return err
	}
	switch {
	case s.Rate != nil:
		s.Level = *s.Rate
	case s.Users != nil:
		s.Level = *s.Users
	}
	return nil
}

// What limits a capacity.
const (
	LimitedByLatency   = "latency"
	LimitedByErrors    = "errors"
	LimitedByDropped   = "dropped"
	LimitedByGenerator = "generator"
	LimitedByMaximum   = "maximum"
)

// Unit is the word for the load that was searched for.
func (c *Capacity) Unit() string {
	if c.Concurrency != nil {
		return "users"
	}
	return "iterations/s"
}
