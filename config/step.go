package config

import (
	"time"

	"github.com/stacrun/stacrun/diag"
)

// Step is one entry of a list of requests. The set is closed: Request, If, Loop, While, ForEach,
// Once, Transaction, Parallel, Include, Action, SetVariables, Retry.
type Step interface {
	step()
	Where() (diag.Pos, string) // place and dotted path
}

// At is embedded in every step.
type At struct {
	Pos  diag.Pos
	Path string // such as "scenarios.search.requests.3"
}

// Where returns the place and the dotted path of a step.
func (a At) Where() (diag.Pos, string) { return a.Pos, a.Path }

// If decides once; Else may be empty.
type If struct {
	At
	Condition  Text
	Then, Else []Step
}

// Loop repeats Do; Count is a number, "forever" or a template.
type Loop struct {
	At
	Count Text
	Do    []Step
}

// While repeats Do while the condition holds.
type While struct {
	At
	Condition Text
	Do        []Step
}

// ForEach runs Do for each element of a list variable.
type ForEach struct {
	At
	Item, List string
	Do         []Step
}

// Once runs in the first iteration of each user only.
type Once struct {
	At
	Do []Step
}

// Transaction reports the sum of its children under a label of its own.
type Transaction struct {
	At
	Label             Text
	Do                []Step
	ForceParentSample Value[bool]
	IncludeTimers     bool
}

// Parallel keeps up to InFlight branches in flight at once.
type Parallel struct {
	At
	Branches []Step
	InFlight Value[int]
}

// Retry repeats Do while it fails.
type Retry struct {
	At
	Attempts int // in all, ≥ 1
	Backoff  time.Duration
	On       []string // status patterns and faults; empty: any failure
	Do       []Step
}

// Include runs another scenario's requests in place.
type Include struct {
	At
	Scenario string
	NamePos  diag.Pos // where the scenario is named
}

// Action stops, pauses or goes on to the next iteration.
type Action struct {
	At
	Action string // pause, stop, stop-now, continue
	Target string // current-thread, all-threads
	Pause  Text
}

// SetVariables assigns per-user variables.
type SetVariables struct {
	At
	Variables []Variable
}

func (*Request) step()      {}
func (*If) step()           {}
func (*Loop) step()         {}
func (*While) step()        {}
func (*ForEach) step()      {}
func (*Once) step()         {}
func (*Transaction) step()  {}
func (*Parallel) step()     {}
func (*Retry) step()        {}
func (*Include) step()      {}
func (*Action) step()       {}
func (*SetVariables) step() {}
