package load

import (
	"math"
	"math/bits"
)

// baseUnits divides one per second so that what people write per second, minute or hour, to three decimals, is whole.
const baseUnits = 3_600_000

// scaleFor chooses the unit of rates, 2^-scale/baseUnits per second, so that the highest takes some 60 bits.
func scaleFor(peak float64) int {
	if peak <= 0 {
		return 0
	}
	_, exponent := math.Frexp(peak * baseUnits)
	return 60 - exponent
}

// units converts a level to what legs hold.
func (s *Shape) units(level float64) int64 {
	if !s.open {
		return int64(level)
	}
	v := level * baseUnits
	if whole := math.Round(v); math.Abs(v-whole) <= whole*1e-15 {
		v = whole // such as 1/60 per second, which no floating point number is exactly
	}
	return int64(math.Round(math.Ldexp(v, s.scale)))
}

// level is the inverse of units.
func (s *Shape) level(units int64) float64 {
	if !s.open {
		return float64(units)
	}
	return math.Ldexp(float64(units), -s.scale) / baseUnits
}

// unit is one arrival in 2^-scale/baseUnits ns/s.
func (s *Shape) unit() float64 { return math.Ldexp(1e9*baseUnits, s.scale) }

// mulDiv is ⌊(a·b + c) / d⌋ for a, b, c ≥ 0 and d > 0, when the result fits.
func mulDiv(a, b, d, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(d))
	return int64(q)
}

// ceilMulDiv is ⌈a·b / d⌉.
func ceilMulDiv(a, b, d int64) int64 { return mulDiv(a, b, d, d-1) }

// u128 and u192 are unsigned integers wide enough for arrivals times nanoseconds.
type (
	u128 struct{ hi, lo uint64 }
	u192 struct{ hi, mid, lo uint64 }
)

func mul64(a, b uint64) u128 {
	hi, lo := bits.Mul64(a, b)
	return u128{hi, lo}
}

func (a u128) zero() bool { return a.hi|a.lo == 0 }

func (a u128) less(b u128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a u128) add(b u128) u128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return u128{hi, lo}
}

// sub is a − b, and 0 where that would be negative.
func (a u128) sub(b u128) u128 {
	if a.less(b) {
		return u128{}
	}
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return u128{hi, lo}
}

// shift is a·2^n, n ≥ 0; false when it does not fit.
func (a u128) shift(n int) (u128, bool) {
	length := bits.Len64(a.lo)
	if a.hi > 0 {
		length = 64 + bits.Len64(a.hi)
	}
	if length == 0 {
		return a, true
	}
	if length+n > 127 {
		return u128{}, false
	}
	if n >= 64 {
		return u128{a.lo << (n - 64), 0}, true
	}
	return u128{a.hi<<n | a.lo>>(64-n), a.lo << n}, true
}

func (a u128) float() float64 { return math.Ldexp(float64(a.hi), 64) + float64(a.lo) }

func (a u128) times(b uint64) u192 {
	carry, lo := bits.Mul64(a.lo, b)
	hi, mid := bits.Mul64(a.hi, b)
	mid, c := bits.Add64(mid, carry, 0)
	return u192{hi + c, mid, lo}
}

func (a u192) plus(b u192) u192 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	mid, carry := bits.Add64(a.mid, b.mid, carry)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return u192{hi, mid, lo}
}

func (a u192) less(b u192) bool {
	if a.hi != b.hi {
		return a.hi < b.hi
	}
	if a.mid != b.mid {
		return a.mid < b.mid
	}
	return a.lo < b.lo
}
