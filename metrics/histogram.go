package metrics

// Histogram is a distribution of microseconds in HdrHistogram's layout (1 µs to 1 h, 3 digits), mergeable without loss.
type Histogram struct {
	counts map[int32]int64
}
