package charts

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/metrics"
)

// Spread is the common axis of distributions: times on a logarithmic scale, cut into bins of equal
// ratio.
type Spread struct {
	Low, High float64 // ns, Low > 0
	Bins      int
}

// NewSpread makes the axis that holds all of the given series: from the smallest value to the
// greatest, widened to a round value at each side. Values below a microsecond count as one.
func NewSpread(bins int, series ...*metrics.Series) Spread {
	low, high := math.Inf(1), 0.0
	for _, s := range series {
		if s.Count > 0 {
			low, high = min(low, float64(s.Min)), max(high, float64(s.Max))
		}
	}
	if high == 0 {
		low, high = 1e6, 1e9
	}
	low = max(low, 1e3)
	high = max(high, 2*low)
	return Spread{Low: roundDown(low), High: roundStep(high), Bins: bins}
}

// roundDown is the greatest of 1, 2, 5 × 10ⁿ that is not above v > 0.
func roundDown(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range [...]float64{5, 2} {
		if m*power <= v*(1+1e-9) {
			return m * power
		}
	}
	return power
}

// At is where a time in ns stands, 0…1.
func (s Spread) At(ns float64) float64 {
	return min(max(math.Log(max(ns, s.Low)/s.Low)/math.Log(s.High/s.Low), 0), 1)
}

// Counts says how many values of the series lie in each bin.
func (s Spread) Counts(series *metrics.Series) []int64 {
	counts := make([]int64, s.Bins)
	series.Histogram.Buckets(func(low, high, n int64) bool {
		middle := (float64(low) + float64(high)) / 2 * 1e3
		counts[min(int(s.At(middle)*float64(s.Bins)), s.Bins-1)] += n
		return true
	})
	return counts
}

// shapeHeight is the height of a shape in its own coordinates; its width is the number of bins.
// Whole and small numbers keep a page with hundreds of shapes short.
const shapeHeight = 200

// Shape is the outline of a distribution, its highest bin touching the top, as a path in the box
// from 0,0 to Bins,200. Bins that would be invisible though they hold something are drawn just high
// enough to be seen.
func (s Spread) Shape(series *metrics.Series) string {
	const least = 5
	counts := s.Counts(series)
	peak := slices.Max(counts)
	if peak == 0 {
		return ""
	}
	var d strings.Builder
	height, flat := 0, 0 // of the last bin, and bins since it began
	bin := func(next int) {
		if next == height {
			flat++
			return
		}
		if d.Len() == 0 {
			d.WriteString("M" + strconv.Itoa(flat) + " " + strconv.Itoa(shapeHeight))
		} else {
			d.WriteString("h" + strconv.Itoa(flat))
		}
		d.WriteString("v" + strconv.Itoa(height-next))
		height, flat = next, 1
	}
	for _, n := range counts {
		switch {
		case n == 0:
			bin(0)
		default:
			bin(max(int(math.Round(shapeHeight*float64(n)/float64(peak))), least))
		}
	}
	bin(0)
	return d.String() + "z"
}

// box is the view box of shapes with room above them.
func (s Spread) box(above int) string {
	return "0 " + strconv.Itoa(-above) + " " + strconv.Itoa(s.Bins) + " " + strconv.Itoa(shapeHeight+above)
}

// Strip is a distribution in a line of a table: its shape, and percentiles as marks. The attribute
// data-levels holds the place of each in percent and its text, for a page that shows a strip large.
func (s Spread) Strip(series *metrics.Series, label string, levels []Percentile) string {
	w := &writer{}
	places := make([]string, len(levels))
	for i, p := range levels {
		places[i] = strings.TrimSuffix(percent(s.At(series.Quantile(p.Level))), "%") + "=" + p.Text
	}
	w.open("svg", "class", "strip", "role", "img", "aria-label", label, "viewBox", s.box(0), "preserveAspectRatio", "none",
		"data-levels", strings.Join(places, "|"))
	if shape := s.Shape(series); shape != "" {
		w.empty("path", "class", "shape", "d", shape)
		for _, p := range levels {
			x := strconv.FormatFloat(math.Round(s.At(series.Quantile(p.Level))*float64(s.Bins)*100)/100, 'f', -1, 64)
			w.empty("path", "class", "q "+p.ID, "d", "M"+x+" 0V"+strconv.Itoa(shapeHeight))
		}
	}
	w.close("svg")
	return w.String()
}

// Percentile is a marked place of a distribution.
type Percentile struct {
	Level float64 // 0…100
	ID    string  // class, such as "p95"
	Text  string  // such as "p95 120ms"
}

// Distribution is a large chart of a series with its axis.
type Distribution struct {
	ID      string
	Label   string // for those who cannot see it
	Height  int    // pixels
	Spread  Spread
	Series  *metrics.Series
	Beside  *metrics.Series // drawn as an outline behind it; nil: none
	Levels  []Percentile
	Format  func(ns float64) string
	Nothing string // what is said when there is nothing to show
}

// distributionTicks is how many ticks the axis has at most.
const distributionTicks = 10

// SVG draws the chart.
func (c *Distribution) SVG() string {
	w := &writer{}
	w.open("svg", "class", "chart distribution", "id", c.ID, "role", "img", "aria-label", c.Label, "width", "100%", "height", strconv.Itoa(c.Height))
	if c.Series.Count == 0 {
		w.text("text", c.Nothing, "x", "50%", "y", "50%", "class", "nothing")
		w.close("svg")
		return w.String()
	}
	w.open("g", "class", "times", "aria-hidden", "true")
	for _, v := range LogTicks(c.Spread.Low, c.Spread.High, distributionTicks) {
		x := percent(c.Spread.At(v))
		w.empty("line", "y2", "100%", "x1", x, "x2", x)
		w.text("text", c.Format(v), "x", x, "y", "100%", "dy", "17")
	}
	w.close("g")
	// A fifth of the height is left for the texts of the percentiles.
	w.open("svg", "class", "plot", "width", "100%", "height", "100%", "viewBox", c.Spread.box(shapeHeight/4), "preserveAspectRatio", "none")
	if c.Beside != nil && c.Beside.Count > 0 {
		w.empty("path", "class", "beside", "d", c.Spread.Shape(c.Beside))
	}
	w.empty("path", "class", "shape", "d", c.Spread.Shape(c.Series))
	w.close("svg")
	c.drawLevels(w)
	w.close("svg")
	return w.String()
}

// drawLevels marks the percentiles; their texts stand in rows below one another, so that close ones
// do not cover each other.
func (c *Distribution) drawLevels(w *writer) {
	const rowHeight = 15
	w.open("g", "class", "levels")
	for i, p := range c.Levels {
		at := c.Spread.At(c.Series.Quantile(p.Level))
		x := percent(at)
		w.empty("line", "class", p.ID, "y2", "100%", "x1", x, "x2", x)
		anchor, dx := "start", "5"
		if at > 0.7 {
			anchor, dx = "end", "-5"
		}
		w.text("text", p.Text, "class", p.ID, "x", x, "dx", dx, "y", strconv.Itoa(11+i*rowHeight), "text-anchor", anchor)
	}
	w.close("g")
}
