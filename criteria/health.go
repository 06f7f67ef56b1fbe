package criteria

import "github.com/stacrun/stacrun/metrics"

// health sums up the generator's own state over the run.
type health struct {
	seconds  int64   // that carried it
	suspects int64   // in which the generator was the bottleneck
	cpu      float64 // sum of the shares
	memory   int64   // most resident bytes
}

func (h *health) add(m metrics.Health) {
	if m == (metrics.Health{}) {
		return
	}
	h.seconds++
	h.cpu += m.CPUShare
	h.memory = max(h.memory, m.MemoryBytes)
	if m.Limited() {
		h.suspects++
	}
}

// share is the part of the seconds in which the generator was the bottleneck, 0…1.
func (h health) share() float64 { return float64(h.suspects) / float64(max(1, h.seconds)) }
