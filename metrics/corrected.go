package metrics

import "time"

// Corrected returns the distribution as it would be, had one value been measured in each interval (HdrHistogram's correction for
// coordinated omission): a value v longer than the interval I kept its user from measuring the values v−I, v−2I, …, ≥ I, which are
// added. It estimates what a closed model could not see; an open one measures it.
func (h *Histogram) Corrected(interval time.Duration) *Histogram {
	out := h.Clone()
	every := int64(interval) / nsPerUnit // µs
	if out == nil || every <= 0 {
		return out
	}
	for j, i := range h.index {
		_, v := bucketRange(int(i))
		if v -= every; v < every {
			continue
		}
		// v, v−I, v−2I … fall into buckets: those of one bucket [low, high] are counted together.
		for v >= every {
			at := bucketOf(v)
			low, _ := bucketRange(at)
			n := (v-max(low, every))/every + 1
			out.addBucket(at, n*h.count[j])
			v -= n * every
		}
	}
	return out
}
