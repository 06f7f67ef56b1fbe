package engine

import "sync/atomic"

// shortage counts the connections that could not be made because this machine ran short of something. They are failures of
// requests as well; here they say that the fault is not the target's.
type shortage struct{ descriptors, ports atomic.Int64 }

func (s *shortage) add(port bool) {
	if port {
		s.ports.Add(1)
	} else {
		s.descriptors.Add(1)
	}
}

// take gives what was counted since the last time.
func (s *shortage) take() (descriptors, ports int64) { return s.descriptors.Swap(0), s.ports.Swap(0) }
