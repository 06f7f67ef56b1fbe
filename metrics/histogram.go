package metrics

import (
	"math/bits"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The one layout of all histograms: HdrHistogram's for 1 µs to 1 h with 3 significant digits.
// Values below 2048 µs have a bucket each; above, each doubling has 1024 of them, so that a bucket
// is never wider than a thousandth of its values.
const (
	HighestTrackable  = 3_600_000_000 // µs
	SignificantDigits = 3

	subBuckets     = 2048
	subBucketsHalf = subBuckets / 2
	halfMagnitude  = 10                      // log2 of subBucketsHalf
	bucketTotal    = 23 * subBucketsHalf     // 22 doublings reach 1 h, and the lower half of the first
	nsPerUnit      = 1000                    // a histogram counts microseconds
	highestNanos   = HighestTrackable * 1000 // 1 h
)

// Histogram is a distribution of microseconds in HdrHistogram's layout (1 µs to 1 h, 3 digits),
// mergeable without loss. It keeps the buckets in use only. The zero value is empty and ready.
type Histogram struct {
	index   []uint16 // ascending
	count   []int64  // > 0, same length
	total   int64
	clamped int64
}

// bucketOf returns the bucket of a value in µs, 0 ≤ v ≤ HighestTrackable.
func bucketOf(v int64) int {
	exponent := bits.Len64(uint64(v)|(subBuckets-1)) - (halfMagnitude + 1)
	return exponent<<halfMagnitude + int(v>>exponent)
}

// bucketRange returns the lowest and the highest value in µs that bucket i stands for.
func bucketRange(i int) (low, high int64) {
	exponent := i>>halfMagnitude - 1
	sub := i&(subBucketsHalf-1) + subBucketsHalf
	if exponent < 0 {
		exponent, sub = 0, sub-subBucketsHalf
	}
	low = int64(sub) << exponent
	return low, low + 1<<exponent - 1
}

// unitsOf rounds ns to the nearest µs within the layout, and says whether it had to be clamped.
func unitsOf(ns int64) (v int64, clamped bool) {
	switch {
	case ns < 0:
		return 0, true
	case ns > highestNanos:
		return HighestTrackable, true
	}
	return (ns + nsPerUnit/2) / nsPerUnit, false
}

// Record counts one value in ns; what lies outside the layout is clamped to its end and counted as clamped.
func (h *Histogram) Record(ns int64) {
	v, clamped := unitsOf(ns)
	if clamped {
		h.clamped++
	}
	h.addBucket(bucketOf(v), 1)
}

// addBucket adds n > 0 to bucket i.
func (h *Histogram) addBucket(i int, n int64) {
	h.total += n
	if last := len(h.index) - 1; last < 0 || int(h.index[last]) < i {
		h.index, h.count = append(h.index, uint16(i)), append(h.count, n)
		return
	}
	at, found := slices.BinarySearch(h.index, uint16(i))
	if found {
		h.count[at] += n
		return
	}
	h.index = slices.Insert(h.index, at, uint16(i))
	h.count = slices.Insert(h.count, at, n)
}

// Merge adds the other histogram, which may be nil and is not changed.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil {
		return
	}
	h.clamped += o.clamped
	if len(o.index) == 0 {
		return
	}
	h.total += o.total
	if missing := h.addKnown(o); missing > 0 {
		h.insertMissing(o, missing)
	}
}

// addKnown adds the buckets of o that h has, and returns how many it has not.
func (h *Histogram) addKnown(o *Histogram) (missing int) {
	at := 0
	few := len(o.index)*8 < len(h.index) // one second merged into a whole run: better searched than walked
	for j, i := range o.index {
		if few {
			next, _ := slices.BinarySearch(h.index[at:], i)
			at += next
		}
		for at < len(h.index) && h.index[at] < i {
			at++
		}
		if at < len(h.index) && h.index[at] == i {
			h.count[at] += o.count[j]
			continue
		}
		missing++
	}
	return missing
}

// insertMissing makes room for the buckets of o that h has not, and merges from the end so that nothing is overwritten.
func (h *Histogram) insertMissing(o *Histogram, missing int) {
	from := len(h.index) - 1
	size := len(h.index) + missing
	h.index = slices.Grow(h.index, missing)[:size]
	h.count = slices.Grow(h.count, missing)[:size]
	to := size - 1
	for j := len(o.index) - 1; j >= 0; j-- {
		for from >= 0 && h.index[from] > o.index[j] {
			h.index[to], h.count[to] = h.index[from], h.count[from]
			from, to = from-1, to-1
		}
		if from >= 0 && h.index[from] == o.index[j] {
			continue // moves with the next smaller bucket of o, or stays
		}
		h.index[to], h.count[to] = o.index[j], o.count[j]
		to--
	}
}

// Clone returns an independent copy; nil of nil.
func (h *Histogram) Clone() *Histogram {
	if h == nil {
		return nil
	}
	return &Histogram{index: slices.Clone(h.index), count: slices.Clone(h.count), total: h.total, clamped: h.clamped}
}

// Count is the number of recorded values.
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return h.total
}

// Clamped is how many of them lay outside the layout and stand at its end.
func (h *Histogram) Clamped() int64 {
	if h == nil {
		return 0
	}
	return h.clamped
}

// Quantile returns the value in µs below or at which q percent of the recorded values lie, as
// HdrHistogram defines it: the highest value of the bucket that holds the ⌊q/100·n + ½⌋-th value, the first at least.
func (h *Histogram) Quantile(q float64) int64 {
	if h == nil || h.total == 0 {
		return 0
	}
	q = min(max(q, 0), 100)
	if q == 0 {
		low, _ := bucketRange(int(h.index[0]))
		return low
	}
	want := min(max(int64(q/100*float64(h.total)+0.5), 1), h.total)
	var seen int64
	for j, n := range h.count {
		if seen += n; seen >= want {
			_, high := bucketRange(int(h.index[j]))
			return high
		}
	}
	_, high := bucketRange(int(h.index[len(h.index)-1]))
	return high
}

// CountAtOrBelow returns how many values lie in buckets up to the one that holds ns.
func (h *Histogram) CountAtOrBelow(ns int64) int64 {
	if h == nil {
		return 0
	}
	v, _ := unitsOf(ns)
	limit := uint16(bucketOf(v))
	var seen int64
	for j, i := range h.index {
		if i > limit {
			break
		}
		seen += h.count[j]
	}
	return seen
}

// Buckets yields the buckets in use in ascending order: lowest and highest value in µs, and count.
func (h *Histogram) Buckets(yield func(lowMicros, highMicros, count int64) bool) {
	if h == nil {
		return
	}
	for j, i := range h.index {
		low, high := bucketRange(int(i))
		if !yield(low, high, h.count[j]) {
			return
		}
	}
}

// HDR returns the same distribution as an HdrHistogram of microseconds.
func (h *Histogram) HDR() *hdrhistogram.Histogram {
	out := hdrhistogram.New(1, HighestTrackable, SignificantDigits)
	h.Buckets(func(low, _, count int64) bool {
		_ = out.RecordValues(min(low, HighestTrackable), count) // cannot fail: the layouts are the same
		return true
	})
	return out
}
