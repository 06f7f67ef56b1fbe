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
	Log    bool // the upright axis is logarithmic; values that are not positive are left out then
	Even   bool // X stand as far apart as their numbers say, powers apart or not
	Lines  []CurveLine
	Marks  []CurveMark
	Format func(float64) string // writes a value of the upright axis
	Across func(float64) string // writes a value of X
	Name   string               // of X, written below the axis
}

// CurveLine is a series of values, one for each X. What is not a number was not measured.
type CurveLine struct {
	ID       string // class of its stroke
	Name     string // for the text of its points
	Values   []float64
	Doubtful []bool // points that are drawn hollow; nil: none
	Broken   []bool // points that are drawn as squares; nil: none
	Plain    bool   // a line to hold others against, without points
}

// CurveMark is an upright line at a value of X.
type CurveMark struct {
	At   float64
	ID   string // class of its stroke
	Text string // written at its top
	Left bool   // the text stands on the left of the line
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
	if !c.Even && low > 0 && high/low >= 8 {
		share = math.Log(x/low) / math.Log(high/low)
	}
	return margin + share*(1-2*margin)
}

// upright is the axis of the values.
type upright struct {
	ticks     []float64
	low, high float64
	log       bool
}

func (c *Curve) axis() upright {
	low, top := math.Inf(1), 0.0
	for _, line := range c.Lines {
		for _, v := range line.Values {
			if v > 0 {
				low, top = min(low, v), max(top, v)
			}
		}
	}
	if !c.Log || top == 0 {
		ticks := Ticks(top, 4)
		return upright{ticks: ticks, high: ticks[len(ticks)-1]}
	}
	low, top = low/1.2, top*1.2
	return upright{ticks: LogTicks(low, top, 6), low: low, high: top, log: true}
}

// at places a value, 0…1.
func (u upright) at(v float64) float64 {
	switch {
	case !u.log:
		return v / u.high
	case v <= 0:
		return math.NaN()
	}
	return math.Log(v/u.low) / math.Log(u.high/u.low)
}

// SVG draws the curve.
func (c *Curve) SVG() string {
	w := &writer{}
	axis := c.axis()
	class := "chart curve"
	if len(c.Marks) > 0 {
		class += " marked"
	}
	w.open("svg", "class", class, "id", c.ID, "role", "img", "aria-label", c.Label, "width", "100%", "height", strconv.Itoa(c.Height))
	w.open("g", "class", "values", "aria-hidden", "true")
	for _, v := range axis.ticks {
		y := percent(1 - axis.at(v))
		w.empty("line", "x2", "100%", "y1", y, "y2", y)
		w.text("text", c.Format(v), "x", "-8", "y", y, "dy", "4")
	}
	w.close("g")
	c.drawAcross(w)
	w.open("svg", "class", "plot", "width", "100%", "height", "100%", "viewBox", "0 0 10000 10000", "preserveAspectRatio", "none")
	for _, line := range c.Lines {
		var joined path
		for i, v := range line.Values {
			joined.to(c.at(c.X[i]), axis.at(v))
		}
		w.empty("path", "class", "s "+line.ID, "d", joined.done())
	}
	w.close("svg")
	for _, line := range c.Lines {
		if !line.Plain {
			c.drawPoints(w, line, axis)
		}
	}
	w.close("svg")
	return w.String()
}

// drawAcross draws the axis of X and the marks on it.
func (c *Curve) drawAcross(w *writer) {
	w.open("g", "class", "times", "aria-hidden", "true")
	drawn, written := math.Inf(-1), math.Inf(-1)
	for _, x := range c.X {
		at := c.at(x)
		if at == drawn {
			continue
		}
		drawn = at
		w.empty("line", "y2", "100%", "x1", percent(at), "x2", percent(at))
		if at-written >= 0.07 { // closer ones would run into each other
			w.text("text", c.Across(x), "x", percent(at), "y", "100%", "dy", "17")
			written = at
		}
	}
	w.text("text", c.Name, "x", "50%", "y", "100%", "dy", "34", "class", "name")
	w.close("g")
	for _, mark := range c.Marks {
		at := percent(c.at(mark.At))
		w.open("g", "class", "upright "+mark.ID, "aria-hidden", "true")
		w.empty("line", "x1", at, "x2", at, "y1", "-14", "y2", "100%")
		anchor, dx := "start", "4"
		if mark.Left {
			anchor, dx = "end", "-4"
		}
		w.text("text", mark.Text, "x", at, "y", "-5", "dx", dx, "text-anchor", anchor)
		w.close("g")
	}
}

// drawPoints draws what was measured; a pointer that rests on a point is told its value.
func (c *Curve) drawPoints(w *writer, line CurveLine, axis upright) {
	w.open("g", "class", "points "+line.ID, "aria-hidden", "true")
	for i, v := range line.Values {
		height := axis.at(v)
		if math.IsNaN(height) {
			continue
		}
		x, y, class := percent(c.at(c.X[i])), percent(1-height), "dot"
		if line.Doubtful != nil && line.Doubtful[i] {
			class = "dot hole"
		}
		name := "circle"
		if line.Broken != nil && line.Broken[i] {
			name = "rect"
			w.open(name, "class", class, "x", x, "y", y, "width", "8", "height", "8", "transform", "translate(-4 -4)")
		} else {
			w.open(name, "class", class, "cx", x, "cy", y, "r", "4")
		}
		text := c.Across(c.X[i]) + " " + c.Name + ": " + c.Format(v)
		if line.Name != "" {
			text = line.Name + ", " + text
		}
		w.text("title", text)
		w.close(name)
	}
	w.close("g")
}
