package load

import (
	"math"
	"sort"
	"time"
)

// Rate is how many iterations per second should start at t; 0 outside of the plan and in a closed one.
func (s Shape) Rate(t time.Duration) float64 {
	l := s.at(int64(t))
	if l == nil || !s.open {
		return 0
	}
	from, to := s.level(l.from), s.level(l.to)
	return from + (to-from)*(float64(int64(t)-l.start)/float64(l.length))
}

// Arrivals is how many iterations are due at t or earlier. Over any window it differs from the integral of the rate by less than 1.
func (s Shape) Arrivals(t time.Duration) int64 {
	if !s.open || t < 0 || len(s.legs) == 0 {
		return 0
	}
	at := min(int64(t), s.end-1)
	n := int64(s.integral(at))
	// The estimate may be off by its rounding; the exact predicate has the last word.
	for s.due(n, at) {
		n++
	}
	for n > 0 && !s.due(n-1, at) {
		n--
	}
	return n
}

// Reached is how many iterations are due at t ns or earlier, and the integral of the rate until then with the rounding of floating point.
func (s Shape) Reached(t int64) (arrivals int64, integral float64) {
	if arrivals = s.Arrivals(time.Duration(t)); arrivals == 0 {
		return 0, 0
	}
	return arrivals, s.integral(min(t, s.end-1))
}

// Total is how many iterations the whole plan starts; false when it has no end of its own.
func (s Shape) Total() (int64, bool) {
	if !s.open || s.endless {
		return 0, false
	}
	return s.Arrivals(time.Duration(s.end)), true
}

// ArrivalAt is when iteration k (from 0) is due: the first whole nanosecond at which the integral of the rate has reached k. It is
// never early, and exact for the rates as given. The first is due as soon as there is a rate. False when
// the plan ends before.
func (s Shape) ArrivalAt(k int64) (time.Duration, bool) {
	if !s.open || k < 0 || len(s.legs) == 0 {
		return 0, false
	}
	target, fits := s.target(k)
	if !fits {
		return 0, false
	}
	i := sort.Search(len(s.legs), func(i int) bool {
		after := s.legs[i].after()
		return !after.zero() && !after.less(target)
	})
	if i == len(s.legs) {
		return 0, false
	}
	l := &s.legs[i]
	missing := target.sub(l.before)
	t := l.start + l.reach(missing, s.estimate(l, missing))
	return time.Duration(t), t < s.end
}

// estimate solves the integral of a leg for the time, with the rounding of floating point.
//
//	x(t) = r₀·t + (r₁−r₀)·t²/2D    →    t = 2x / (r₀ + √(r₀² + 2x·(r₁−r₀)/D))
func (s *Shape) estimate(l *leg, missing u128) int64 {
	x := missing.float() / 2 / s.unit()
	r0, r1, d := s.level(l.from)/1e9, s.level(l.to)/1e9, float64(l.length) // per ns
	root := math.Sqrt(max(r0*r0+2*x*(r1-r0)/d, 0))
	if r0+root == 0 {
		return 0
	}
	return int64(min(math.Ceil(2*x/(r0+root)), d))
}

// reach returns the smallest time in a leg at which its arrivals have reached what is missing, starting from an estimate. The leg
// reaches it at its end at the latest.
func (l *leg) reach(missing u128, estimate int64) int64 {
	const near = 1 << 8              // ns; an estimate that is farther off, near the end of a rate that goes down to 0, is as good as none
	low, high := int64(-1), l.length // low: not yet, high: reached
	t := min(max(estimate, 0), l.length)
	for step := int64(1); low+1 < high; step = min(step*2, 2*near) {
		reached := l.reached(t, missing)
		if reached {
			high = t
		} else {
			low = t
		}
		switch {
		case step > near:
			t = low + (high-low)/2
		case reached:
			t = max(high-step, low+1)
		default:
			t = min(low+step, high-1)
		}
	}
	return high
}

// reached says whether t ns into the leg its arrivals amount to x half units:
//
//	2·r₀·t + (r₁−r₀)·t²/D ≥ x, multiplied by D
func (l *leg) reached(t int64, x u128) bool {
	have := mul64(uint64(2*l.from), uint64(t)).times(uint64(l.length))
	want := x.times(uint64(l.length))
	if l.to >= l.from {
		have = have.plus(mul64(uint64(l.to-l.from), uint64(t)).times(uint64(t)))
	} else {
		want = want.plus(mul64(uint64(l.from-l.to), uint64(t)).times(uint64(t)))
	}
	return !have.less(want)
}

// after is the number of arrivals up to the end of the leg, in half units.
func (l *leg) after() u128 {
	return l.before.add(mul64(uint64(l.from+l.to), uint64(l.length)))
}

// due says whether arrival k is due at t, 0 ≤ t < end.
func (s *Shape) due(k, t int64) bool {
	target, fits := s.target(k)
	if !fits {
		return false
	}
	l := s.at(t)
	if k == 0 && l.before.zero() && l.from+l.to == 0 {
		return false // nothing was asked for yet
	}
	if !l.before.less(target) {
		return true
	}
	return l.reached(t-l.start, target.sub(l.before))
}

// target is k arrivals in half units; false when it is beyond all that a plan can reach.
func (s *Shape) target(k int64) (u128, bool) {
	return mul64(uint64(k), 2*1_000_000_000*baseUnits).shift(s.scale)
}

// integral is the number of arrivals at t as floating point.
func (s *Shape) integral(t int64) float64 {
	l := s.at(t)
	unit := s.unit()
	since := float64(t - l.start)
	within := float64(l.from)*since + float64(l.to-l.from)*since*since/float64(l.length)/2
	return l.before.float()/2/unit + within/unit
}

// when solves the integral for the time at any real number of arrivals, with the rounding of floating point.
func (s *Shape) when(x float64) (int64, bool) {
	unit := s.unit()
	i := sort.Search(len(s.legs), func(i int) bool {
		after := s.legs[i].after()
		return !after.zero() && after.float()/2/unit >= x
	})
	if i == len(s.legs) {
		return 0, false
	}
	l := &s.legs[i]
	x -= l.before.float() / 2 / unit
	r0, r1, d := s.level(l.from)/1e9, s.level(l.to)/1e9, float64(l.length)
	root := math.Sqrt(max(r0*r0+2*max(x, 0)*(r1-r0)/d, 0))
	if r0+root == 0 {
		return l.start, true
	}
	t := l.start + int64(min(math.Ceil(2*max(x, 0)/(r0+root)), d))
	return t, t < s.end
}
