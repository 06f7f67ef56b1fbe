package engine

import "time"

// execution is one block of load, compiled.
type execution struct {
	name string
}

func (x *execution) info() ExecutionInfo { return ExecutionInfo{Name: x.name} }

// Duration is how long the plan runs at most, counted from the start of the run; false: unlimited or not known before.
func (p *Plan) Duration() (d time.Duration, known bool) { return 0, false }
