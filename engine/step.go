package engine

// step is one compiled step of a script. It is immutable and shared by all users.
type step interface {
	run(u *user) flow
}

// flow says how a user goes on after a step.
type flow uint8

const (
	flowNext     flow = iota // with the next step
	flowContinue             // with the next iteration
	flowStop                 // not at all: this user ends
	flowStopAll              // the same for every user of the run, gracefully
	flowAbort                // the same, at once
	flowEnd                  // the plan is over or was stopped: the iteration is cut short
)

// runSteps walks through a list until one of its steps turns away.
func (u *user) runSteps(list []step) flow {
	for _, s := range list {
		if f := s.run(u); f != flowNext {
			return f
		}
	}
	return flowNext
}
