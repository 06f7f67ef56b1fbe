package charts

import (
	"math"
	"strconv"
)

// Curve is a chart of figures over something that was chosen, such as a number of users: a line
// with a point at each value that was measured.
type Curve struct {
	ID     string // unique in the page
	Label  string // for those who cannot see it
	Height int    // pixels
	X      []float64
	Lines  []CurveLine
	Format func(float64) string // writes a value of the upright axis
	Across func(float64) string // writes a value of X
	Name   string               // of X, written below the axis
}

// CurveLine is a series of values, one for each X. What is not a number was not measured.
type CurveLine struct {
	ID       string // class of its stroke
	Values   []float64
	Doubtful []bool // points that are drawn hollow; nil: none
}

// span gives the least and the greatest X, apart.
func (c *Curve) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range c.X {
		low, high = min(low, x), max(high, x)
	}
	if !(low < high) {
		return low - 1, low + 1
	}
	return low, high
}

// at places an X, 0…1, with room at both sides. X that are powers apart stand on a logarithmic axis.
func (c *Curve) at(x float64) float64 {
	const margin = 0.03
	low, high := c.span()
	share := (x - low) / (high - low)
	if low > 0 && high/low >= 8 {
		share = math.Log(x/low) / math.Log(high/low)
	}
	return margin + share*(1-2*margin)
}

func (c *Curve) axis() []float64 {
	top := 0.0
	for _, line := range c.Lines {
		for _, v := range line.Values {
			if v > top {
				top = v
			}
		}
	}
	return Ticks(top, 4)
}

// SVG draws the curve.
func (c *Curve) SVG() string {
	w := &writer{}
	ticks := c.axis()
	top := ticks[len(ticks)-1]
	w.open("svg", "class", "chart curve", "id", c.ID, "role", "img", "aria-label", c.Label, "width", "100%", "height", strconv.Itoa(c.Height))
	w.open("g", "class", "values", "aria-hidden", "true")
	for _, v := range ticks {
		y := percent(1 - v/top)
		w.empty("line", "x2", "100%", "y1", y, "y2", y)
		w.text("text", c.Format(v), "x", "-8", "y", y, "dy", "4")
	}
	w.close("g")
	w.open("g", "class", "times", "aria-hidden", "true")
	last := math.Inf(-1)
	for _, x := range c.X {
		at := c.at(x)
		w.empty("line", "y2", "100%", "x1", percent(at), "x2", percent(at))
		if at-last >= 0.05 { // closer ones would run into each other
			w.text("text", c.Across(x), "x", percent(at), "y", "100%", "dy", "17")
			last = at
		}
	}
	w.text("text", c.Name, "x", "50%", "y", "100%", "dy", "34", "class", "name")
	w.close("g")
	w.open("svg", "class", "plot", "width", "100%", "height", "100%", "viewBox", "0 0 10000 10000", "preserveAspectRatio", "none")
	for _, line := range c.Lines {
		c.drawLine(w, line, top)
	}
	w.close("svg")
	w.close("svg")
	return w.String()
}

func (c *Curve) drawLine(w *writer, line CurveLine, top float64) {
	var joined, points, hollow path
	for i, v := range line.Values {
		x := c.at(c.X[i])
		joined.to(x, v/top)
		if math.IsNaN(v) {
			continue
		}
		p := &points
		if line.Doubtful != nil && line.Doubtful[i] {
			p = &hollow
		}
		p.to(x, v/top)
		p.end()
	}
	w.empty("path", "class", "s "+line.ID, "d", joined.done())
	// A stroke of no length with round ends is a dot, whatever the box is stretched to.
	for _, part := range []struct{ class, d string }{
		{"dot", points.done()}, {"dot", hollow.done()}, {"hole", hollow.done()},
	} {
		if part.d != "" {
			w.empty("path", "class", "s "+part.class+" "+line.ID, "d", part.d)
		}
	}
}
