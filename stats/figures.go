package stats

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/stacrun/stacrun/metrics"
)

// ratio is Σnum/Σden. Running sums make the cost of a block independent of its length.
type ratio struct {
	num, den       []float64
	sumNum, sumDen []float64 // of the seconds before
	n, d           float64
}

func means(seconds []*metrics.Series) (num, den []float64) {
	for _, s := range seconds {
		if s == nil {
			s = &metrics.Series{}
		}
		num, den = append(num, float64(s.Total)), append(den, float64(s.Count))
	}
	return num, den
}

func (r *ratio) size() (n, seconds int) { return len(r.num), 1 }

func (r *ratio) reset() {
	r.n, r.d = 0, 0
	if r.sumNum == nil {
		r.sumNum, r.sumDen = running(r.num), running(r.den)
	}
}

func (r *ratio) add(start, length int) {
	end := start + length
	over := max(end-len(r.num), 0)
	end -= over
	r.n += r.sumNum[end] - r.sumNum[start] + r.sumNum[over]
	r.d += r.sumDen[end] - r.sumDen[start] + r.sumDen[over]
}

func (r *ratio) value() float64 {
	if r.d == 0 {
		return math.NaN()
	}
	return r.n / r.d
}

func running(values []float64) []float64 {
	sums := make([]float64, len(values)+1)
	for i, v := range values {
		sums[i+1] = sums[i] + v
	}
	return sums
}

// quantile is a percentile. For every second and every bucket that occurs it holds how many samples of the seconds before lie in that
// bucket or below, so that a block costs two look-ups per step of a binary search, whatever it holds. Long runs are first
// cut into pieces of several seconds, which bounds the memory.
type quantile struct {
	q       float64
	piece   int       // seconds
	values  []float64 // ns that each bucket stands for, ascending
	pieces  int
	below   []uint32 // (pieces+1) × len(values); differences are right even when a sum has wrapped around
	samples []int64  // of the pieces before
	parts   [][2]int // pieces from … up to, of what was added
	total   int64
}

// maxPieces bounds the rows of the table.
const maxPieces = 1200

func newQuantile(seconds []*metrics.Series, q float64) *quantile {
	f := &quantile{q: min(max(q, 0), 100), piece: 1}
	if n := len(seconds); n > maxPieces {
		// Pieces of 5 s go evenly into blocks of 10.
		f.piece = (n + maxPieces*5 - 1) / (maxPieces * 5) * 5
	}
	var merged []*metrics.Series
	for group := range slices.Chunk(seconds, f.piece) {
		sum := &metrics.Series{}
		for _, s := range group {
			if s != nil {
				sum.Merge(s)
			}
		}
		merged = append(merged, sum)
	}
	f.pieces = len(merged)
	f.tabulate(merged)
	return f
}

func (f *quantile) tabulate(pieces []*metrics.Series) {
	seen := map[int64]int{}
	for _, s := range pieces {
		s.Histogram.Buckets(func(_, high, _ int64) bool { seen[high] = 0; return true })
	}
	highs := slices.Sorted(maps.Keys(seen))
	for i, high := range highs {
		seen[high] = i
		f.values = append(f.values, float64(high)*1000)
	}
	width := len(highs)
	f.below = make([]uint32, (len(pieces)+1)*width)
	f.samples = make([]int64, len(pieces)+1)
	for i, s := range pieces {
		last, row := f.below[i*width:(i+1)*width], f.below[(i+1)*width:(i+2)*width]
		s.Histogram.Buckets(func(_, high, count int64) bool { row[seen[high]] = uint32(count); return true })
		sum := uint32(0)
		for b := range row {
			sum += row[b]
			row[b] = last[b] + sum
		}
		f.samples[i+1] = f.samples[i] + s.Histogram.Count()
	}
}

func (f *quantile) size() (n, seconds int) { return f.pieces, f.piece }

func (f *quantile) reset() {
	f.parts = f.parts[:0]
	f.total = 0
}

func (f *quantile) add(start, length int) {
	end := start + length
	if over := end - f.pieces; over > 0 {
		f.part(0, over)
		end = f.pieces
	}
	f.part(start, end)
}

func (f *quantile) part(from, to int) {
	f.parts = append(f.parts, [2]int{from, to})
	f.total += f.samples[to] - f.samples[from]
}

// value is the percentile as [metrics.Histogram.Quantile] defines it.
func (f *quantile) value() float64 {
	if f.total == 0 {
		return math.NaN()
	}
	want := min(max(int64(f.q/100*float64(f.total)+0.5), 1), f.total)
	width := len(f.values)
	at := sort.Search(width-1, func(b int) bool {
		var seen int64
		for _, p := range f.parts {
			seen += int64(f.below[p[1]*width+b] - f.below[p[0]*width+b])
		}
		return seen >= want
	})
	return f.values[at]
}
