package charts

import (
	"math"
	"strconv"
)

// Range is a difference in percent with the interval in which it lies; an end that is not a number is not known.
type Range struct{ Value, Low, High float64 }

// Forest is an axis of differences on which rows of a table draw theirs, so that they can be held against each other. It is an axis of
// ratios: twice as much is as far from no difference as half as much.
type Forest struct{ low, high float64 } // natural logarithms of ratios; low < 0 < high

// What lies further out is cut off: a tenth, and ten times.
const (
	forestLeast = -90.0 // percent
	forestMost  = 900.0
)

// NewForest makes an axis that holds ranges.
func NewForest(ranges []Range) Forest {
	f := Forest{low: math.Log(0.99), high: math.Log(1.01)}
	for _, r := range ranges {
		for _, p := range []float64{r.Value, r.Low, r.High} {
			if !math.IsNaN(p) {
				at := ratio(p)
				f.low, f.high = min(f.low, at), max(f.high, at)
			}
		}
	}
	margin := 0.06 * (f.high - f.low)
	return Forest{f.low - margin, f.high + margin}
}

// ratio is the place of a difference in percent on the axis.
func ratio(percents float64) float64 {
	return math.Log(1 + min(max(percents, forestLeast), forestMost)/100)
}

func (f Forest) at(percents float64) float64 { return (ratio(percents) - f.low) / (f.high - f.low) }

// Ticks are round differences, in percent, on the axis, no difference among them.
func (f Forest) Ticks() []float64 {
	const most, apart = 5, 0.16
	low, high := 100*(math.Exp(f.low)-1), 100*(math.Exp(f.high)-1)
	list := []float64{forestLeast, -75, -50, -25, 0, 50, 100, 200, 400, forestMost}
	for _, step := range []float64{0.2, 0.5, 1, 2, 5, 10, 20} {
		if high-low <= most*step {
			list = nil
			for k := math.Ceil(low / step); k <= math.Floor(high/step); k++ {
				list = append(list, k*step)
			}
			break
		}
	}
	var ticks []float64
	for _, p := range list {
		if p < low || p > high || p != 0 && math.Abs(f.at(p)-f.at(0)) < apart {
			continue
		}
		if n := len(ticks); n > 0 && p != 0 && f.at(p)-f.at(ticks[n-1]) < apart {
			continue
		}
		ticks = append(ticks, p)
	}
	return ticks
}

// Head draws the ticks, to stand above the rows.
func (f Forest) Head(format func(float64) string) string {
	w := &writer{}
	w.open("svg", "class", "forest head", "aria-hidden", "true", "width", "100%", "height", "18")
	for _, p := range f.Ticks() {
		if at := f.at(p); at < 0.06 || at > 0.94 { // there is no room for the text
			continue
		}
		w.text("text", format(p), "x", percent(f.at(p)), "y", "13", "text-anchor", "middle")
	}
	w.close("svg")
	return w.String()
}

// Row draws a range. class says what it means, label is for those who cannot see it.
func (f Forest) Row(r Range, class, label string) string {
	w := &writer{}
	w.open("svg", "class", "forest "+class, "role", "img", "aria-label", label, "width", "100%", "height", "20")
	for _, p := range f.Ticks() {
		at, line := percent(f.at(p)), "tick"
		if p == 0 {
			line = "none"
		}
		w.empty("line", "class", line, "x1", at, "x2", at, "y2", "100%")
	}
	if !math.IsNaN(r.Low) && !math.IsNaN(r.High) {
		w.empty("line", "class", "interval", "x1", percent(f.at(r.Low)), "x2", percent(f.at(r.High)), "y1", "10", "y2", "10")
		for _, end := range []float64{r.Low, r.High} {
			if end >= forestLeast && end <= forestMost {
				w.empty("line", "class", "interval", "x1", percent(f.at(end)), "x2", percent(f.at(end)), "y1", "6", "y2", "14")
			}
		}
	}
	if !math.IsNaN(r.Value) {
		w.empty("circle", "cx", percent(f.at(r.Value)), "cy", "10", "r", strconv.Itoa(4))
	}
	w.close("svg")
	return w.String()
}
