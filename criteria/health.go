package criteria

import "github.com/stacrun/stacrun/metrics"

// health sums up the generator's own state over the run, but for the warm-up.
type health struct {
	seconds  int64   // that carried it
	suspects int64   // in which the generator was the bottleneck
	cpu      float64 // sum of the shares
	memory   int64   // most resident bytes
}

func (h *health) add(iv *metrics.Interval) {
	m, ok := judged(iv)
	if !ok {
		return
	}
	h.seconds++
	h.cpu += m.CPUShare
	h.memory = max(h.memory, m.MemoryBytes)
	if m.Limited() {
		h.suspects++
	}
}

// judged gives the generator's state in a second; false when it was not recorded, or all of the second is warm-up.
func judged(iv *metrics.Interval) (*metrics.Health, bool) {
	return &iv.Health, iv.Health != metrics.Health{} && !iv.WarmingUp()
}

// share is the part of the seconds in which the generator was the bottleneck, 0…1.
func (h health) share() float64 { return float64(h.suspects) / float64(max(1, h.seconds)) }
