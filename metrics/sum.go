package metrics

import (
	"math"
	"math/big"
	"math/bits"
)

// Sum is an exact sum with its count and extremes. Squares is Σx² in ns², a 128-bit number, so that the
// standard deviation is exact too.
type Sum struct {
	Count     int64
	Total     int64 // ns
	Min, Max  int64 // ns; 0 when Count is 0
	SquaresHi uint64
	SquaresLo uint64
}

// Add counts one value in ns. A negative value counts as 0.
func (s *Sum) Add(v int64) {
	v = max(v, 0)
	if s.Count == 0 || v < s.Min {
		s.Min = v
	}
	if v > s.Max {
		s.Max = v
	}
	s.Count++
	s.Total += v
	hi, lo := bits.Mul64(uint64(v), uint64(v))
	var carry uint64
	s.SquaresLo, carry = bits.Add64(s.SquaresLo, lo, 0)
	s.SquaresHi, _ = bits.Add64(s.SquaresHi, hi, carry)
}

// addZeros counts n values of 0.
func (s *Sum) addZeros(n int64) {
	if n <= 0 {
		return
	}
	s.Count += n
	s.Min = 0
}

// Merge adds the other sum.
func (s *Sum) Merge(o *Sum) {
	if o.Count == 0 {
		return
	}
	if s.Count == 0 || o.Min < s.Min {
		s.Min = o.Min
	}
	s.Max = max(s.Max, o.Max)
	s.Count += o.Count
	s.Total += o.Total
	var carry uint64
	s.SquaresLo, carry = bits.Add64(s.SquaresLo, o.SquaresLo, 0)
	s.SquaresHi, _ = bits.Add64(s.SquaresHi, o.SquaresHi, carry)
}

// Mean is the arithmetic mean in ns; 0 when nothing was counted.
func (s *Sum) Mean() float64 {
	if s.Count == 0 {
		return 0
	}
	return float64(s.Total) / float64(s.Count)
}

// Stdev is the standard deviation of the whole population in ns; 0 when nothing was counted.
//
//	σ = √(n·Σx² − (Σx)²) / n
//
// The difference is formed in integers, since it is small against its terms.
func (s *Sum) Stdev() float64 {
	if s.Count == 0 {
		return 0
	}
	squares := new(big.Int).SetUint64(s.SquaresHi)
	squares.Lsh(squares, 64).Or(squares, new(big.Int).SetUint64(s.SquaresLo))
	squares.Mul(squares, big.NewInt(s.Count))
	total := big.NewInt(s.Total)
	squares.Sub(squares, total.Mul(total, total))
	if squares.Sign() <= 0 {
		return 0
	}
	v, _ := new(big.Float).SetInt(squares).Float64()
	return math.Sqrt(v) / float64(s.Count)
}
