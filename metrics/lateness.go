package metrics

import (
	"math/bits"
	"sync/atomic"
)

// Lateness is a small histogram of delays for the generator's own health, to be used from any goroutine: 16 counters per
// doubling, so that a percentile is right to 6 %.
type Lateness struct {
	counts [latenessCounters]atomic.Uint32
}

const (
	latenessBits     = 4 // counters per doubling, as a power of two
	latenessCounters = (64 - latenessBits) << latenessBits
)

// Record counts a delay in ns; a negative one counts as 0.
func (l *Lateness) Record(ns int64) {
	l.counts[latenessIndex(uint64(max(ns, 0)))].Add(1)
}

func latenessIndex(v uint64) int {
	exponent := max(bits.Len64(v)-latenessBits-1, 0)
	return exponent<<latenessBits + int(v>>exponent)
}

// TakeP99 returns the 99th percentile in ns of what was recorded since the last call, 0 when nothing was, and forgets it.
func (l *Lateness) TakeP99() int64 {
	var counts [latenessCounters]uint32
	var total uint64
	for i := range counts {
		counts[i] = l.counts[i].Swap(0)
		total += uint64(counts[i])
	}
	want := (total*99 + 99) / 100
	var seen uint64
	for i, n := range counts {
		if seen += uint64(n); n > 0 && seen >= want {
			exponent := max(i>>latenessBits-1, 0)
			return (int64(i-exponent<<latenessBits)+1)<<exponent - 1
		}
	}
	return 0
}
