package charts

import (
	"math"
	"time"
)

// Ticks returns round values (1, 2 or 5 times a power of ten apart) from 0 up to the first that is
// not below top, about n of them. The last one is the end of the axis. A top that is not positive
// gives the axis 0…1.
func Ticks(top float64, n int) []float64 {
	if !(top > 0) || math.IsInf(top, 0) {
		return []float64{0, 1}
	}
	step := roundStep(top / float64(max(n, 1)))
	count := int(math.Ceil(top/step - 1e-9))
	ticks := make([]float64, 0, count+1)
	for i := 0; i <= count; i++ {
		// Counted, not added up, so that 0.3 does not become 0.30000000000000004.
		ticks = append(ticks, roundTo(float64(i)*step, step))
	}
	return ticks
}

// roundStep is the smallest of 1, 2, 5 × 10ⁿ that is at least v > 0.
func roundStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// roundTo takes off what floating point added below a thousandth of the step.
func roundTo(v, step float64) float64 {
	if digits := 3 - int(math.Floor(math.Log10(step))); digits > 0 && digits < 300 {
		scale := math.Pow(10, float64(digits))
		return math.Round(v*scale) / scale
	}
	return v
}

// LogTicks returns values that are 1, 2 or 5 times a power of ten within low…high, at most n; only
// powers of ten where there would be more. Both ends must be positive.
func LogTicks(low, high float64, n int) []float64 {
	for _, factors := range [...][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if ticks := logTicks(low, high, factors); len(ticks) <= n {
			return ticks
		}
	}
	// More decades than places: every second one, third one …
	all := logTicks(low, high, []float64{1})
	every := (len(all) + n - 1) / max(n, 1)
	var ticks []float64
	for i := 0; i < len(all); i += every {
		ticks = append(ticks, all[i])
	}
	return ticks
}

func logTicks(low, high float64, factors []float64) []float64 {
	var ticks []float64
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, f := range factors {
			if v := f * math.Pow(10, float64(e)); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, v)
			}
		}
	}
	return ticks
}

// timeSteps are the distances of ticks that a reader of clocks finds round.
func timeSteps() []time.Duration {
	const s, m, h = time.Second, time.Minute, time.Hour
	return []time.Duration{
		s, 2 * s, 5 * s, 10 * s, 15 * s, 30 * s, m, 2 * m, 5 * m, 10 * m, 15 * m, 30 * m,
		h, 2 * h, 3 * h, 6 * h, 12 * h, 24 * h,
	}
}

// TimeStep is the distance of at most n ticks over a span.
func TimeStep(span time.Duration, n int) time.Duration {
	steps := timeSteps()
	for _, step := range steps {
		if span <= step*time.Duration(n) {
			return step
		}
	}
	day := steps[len(steps)-1]
	return day * ((span/time.Duration(max(n, 1)) + day - 1) / day)
}

// TimeTicks returns the round times after the start within a span, at most n and the 0.
func TimeTicks(span time.Duration, n int) []time.Duration {
	if span <= 0 {
		return []time.Duration{0}
	}
	step := TimeStep(span, n)
	var ticks []time.Duration
	for t := time.Duration(0); t <= span; t += step {
		ticks = append(ticks, t)
	}
	return ticks
}
