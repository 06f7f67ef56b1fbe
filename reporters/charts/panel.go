package charts

import (
	"math"
	"strconv"
	"time"
)

// Panel is a chart of figures over the time of a run, one of several above one another on the
// same axis. Its legend is the page's.
type Panel struct {
	ID     string // unique in the page
	Title  string
	Label  string        // for those who cannot see it: what it shows and its main figures
	Span   time.Duration // of the time axis, from 0
	Height int           // pixels, all of it
	Top    float64       // end of the value axis at least; 0: as the lines need
	Limit  float64       // value beyond which figures are in doubt, drawn where it lies on the axis; 0: none
	Lines  []Line
	Times  []time.Duration // of the points of all lines
	Marks  []Mark
	Bands  []Band
	Format func(float64) string // writes a value on the axis
	Clock  func(time.Duration) string
}

// Line is a series of values. What is not a number is a gap.
type Line struct {
	ID     string // class of its stroke, such as "p95"
	Name   string
	Values []float64
	Area   bool // filled down to 0
	Hidden bool // until it is asked for; does not stretch the axis
}

// Mark is a moment to be seen in all panels.
type Mark struct {
	At   time.Duration
	Text string
}

// Band is a stretch of time that is set apart, such as a warm-up.
type Band struct {
	From, To time.Duration
	Text     string
}

// The space around the plot in pixels: class "chart" of the page has it as padding.
const (
	PadTop    = 10
	PadRight  = 12
	PadBottom = 24
	PadLeft   = 62
)

// Max is the highest value of the lines that are not hidden, 0 without any.
func (p *Panel) Max() float64 {
	top := 0.0
	for _, line := range p.Lines {
		if line.Hidden {
			continue
		}
		for _, v := range line.Values {
			if v > top {
				top = v
			}
		}
	}
	return top
}

// axis gives the ticks of values.
func (p *Panel) axis() []float64 {
	if p.Top > 0 && p.Top >= p.Max() {
		return Ticks(p.Top, 4)
	}
	return Ticks(p.Max(), 4)
}

// AxisTop is the value at the upper end of the axis.
func (p *Panel) AxisTop() float64 {
	ticks := p.axis()
	return ticks[len(ticks)-1]
}

// SVG draws the panel. The attribute data-top of the plot is the value at its upper end.
func (p *Panel) SVG() string {
	w := &writer{}
	w.open("svg", "class", "chart", "id", p.ID, "role", "img", "aria-label", p.Label, "width", "100%", "height", strconv.Itoa(p.Height))
	p.drawValues(w)
	p.drawTimes(w)
	w.open("svg", "class", "plot", "width", "100%", "height", "100%", "viewBox", "0 0 10000 10000",
		"preserveAspectRatio", "none", "data-top", strconv.FormatFloat(p.AxisTop(), 'g', -1, 64))
	for _, band := range p.Bands {
		from, to := p.share(band.From), p.share(band.To)
		w.open("rect", "class", "band", "x", strconv.Itoa(coordinate(from)), "y", "0",
			"width", strconv.Itoa(coordinate(to)-coordinate(from)), "height", strconv.Itoa(unit))
		w.text("title", band.Text)
		w.close("rect")
	}
	for _, mark := range p.Marks {
		x := strconv.Itoa(coordinate(p.share(mark.At)))
		w.open("path", "class", "mark", "d", "M"+x+" 0V"+strconv.Itoa(unit))
		w.text("title", mark.Text)
		w.close("path")
	}
	if top := p.AxisTop(); p.Limit > 0 && p.Limit <= top {
		y := strconv.Itoa(coordinate(1 - p.Limit/top))
		w.empty("path", "class", "limit", "d", "M0 "+y+"H"+strconv.Itoa(unit))
	}
	for _, line := range p.Lines {
		p.drawLine(w, line)
	}
	w.close("svg")
	w.empty("line", "class", "cursor", "y2", "100%")
	w.close("svg")
	return w.String()
}

func (p *Panel) share(t time.Duration) float64 {
	if p.Span <= 0 {
		return 0
	}
	return min(max(float64(t)/float64(p.Span), 0), 1)
}

func (p *Panel) drawValues(w *writer) {
	ticks := p.axis()
	top := ticks[len(ticks)-1]
	w.open("g", "class", "values", "aria-hidden", "true")
	for _, v := range ticks {
		y := percent(1 - v/top)
		w.empty("line", "x2", "100%", "y1", y, "y2", y)
		w.text("text", p.Format(v), "x", "-8", "y", y, "dy", "4")
	}
	w.close("g")
}

// timeTicks is how many ticks a time axis has at most on a wide page; the style hides every second
// one on a narrow one.
const timeTicks = 10

func (p *Panel) drawTimes(w *writer) {
	w.open("g", "class", "times", "aria-hidden", "true")
	for _, t := range TimeTicks(p.Span, timeTicks) {
		x := percent(p.share(t))
		w.empty("line", "y2", "100%", "x1", x, "x2", x)
		w.text("text", p.Clock(t), "x", x, "y", "100%", "dy", "17")
	}
	w.close("g")
}

func (p *Panel) drawLine(w *writer, line Line) {
	class := "s " + line.ID
	if line.Area {
		class += " area"
	}
	attributes := []string{"class", class, "data-line", line.ID, "d", p.outline(line)}
	if line.Hidden {
		attributes = append(attributes, "hidden", "hidden")
	}
	w.empty("path", attributes...)
}

// outline is the path of a line, or of the shape between it and 0.
func (p *Panel) outline(line Line) string {
	top := p.AxisTop()
	var d path
	from := -1 // first point of the piece that is being drawn
	finish := func(to int) {
		if line.Area && from >= 0 {
			d.to(p.share(p.Times[to]), 0)
			d.to(p.share(p.Times[from]), 0)
			d.end()
		}
		from = -1
	}
	for i, v := range line.Values {
		if math.IsNaN(v) {
			finish(i - 1)
			d.end()
			continue
		}
		x := p.share(p.Times[i])
		if from < 0 {
			from = i
		}
		d.to(x, v/top)
	}
	finish(len(line.Values) - 1)
	return d.done()
}
