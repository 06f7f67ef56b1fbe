package load

import "math"

// Part is a share of a numbered whole — users, arrivals, iterations, permits, rows — that several processes carry out together.
// With n parts and a whole that is dealt out in rounds of r numbers, number k belongs to part
//
//	(k mod r) mod n
//
// so that for r users the permits, iterations and rows are shared as the users are, exactly, also where n does not divide r.
// The zero value is the whole.
type Part struct{ index, of, round int64 }

// NewPart makes part index (from 0) of n, n ≥ 1, of a whole that is dealt out in rounds, round ≥ 1. A round of fewer numbers than
// there are parts leaves the last ones without any, and so is a part without any whose index is not below n.
func NewPart(index, n, round int) Part {
	if index == 0 && n == 1 {
		return Part{}
	}
	return Part{index: int64(index), of: int64(n), round: int64(round)}
}

// Whole says that there are no other parts.
func (p Part) Whole() bool { return p.of == 0 }

// Owns reports whether number k ≥ 0 belongs to the part.
func (p Part) Owns(k int64) bool { return p.Whole() || k%p.round%p.of == p.index }

// Count is how many of the numbers 0 … n−1 belong to the part.
func (p Part) Count(n int64) int64 {
	if p.Whole() || n <= 0 {
		return max(n, 0)
	}
	return n/p.round*p.within(p.round) + p.within(n%p.round)
}

// Number is the j-th number of the part, j ≥ 0; the largest number where the part has none.
func (p Part) Number(j int64) int64 {
	if p.Whole() {
		return j
	}
	own := p.within(p.round)
	if own == 0 {
		return math.MaxInt64
	}
	return j/own*p.round + p.index + j%own*p.of
}

// within is how many of the first n numbers of a round belong to the part.
func (p Part) within(n int64) int64 {
	if n <= p.index || p.index >= p.of {
		return 0
	}
	return (n-p.index-1)/p.of + 1
}
