package charts

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// unit is the number of coordinates from one side of a plot to the other. Paths have whole
// coordinates, which is fine enough to magnify a hundredth of the plot.
const unit = 10000

// writer builds SVG text.
type writer struct{ strings.Builder }

// open writes the beginning of an element: name and value pairs follow one another, values are escaped.
func (w *writer) open(name string, attributes ...string) {
	w.start(name, attributes)
	w.WriteString(">")
}

// empty writes an element without content.
func (w *writer) empty(name string, attributes ...string) {
	w.start(name, attributes)
	w.WriteString("/>")
}

func (w *writer) start(name string, attributes []string) {
	w.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		w.WriteString(" " + attributes[i] + `="` + html.EscapeString(attributes[i+1]) + `"`)
	}
}

func (w *writer) close(name string) { w.WriteString("</" + name + ">") }

// text writes an element that holds text only.
func (w *writer) text(name, content string, attributes ...string) {
	w.open(name, attributes...)
	w.WriteString(html.EscapeString(content))
	w.close(name)
}

// percent writes a share of the box as SVG wants it.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/100, 'f', -1, 64) + "%"
}

// path joins points, given as shares 0…1 of the plot with y upwards, by lines. Values that are not
// a number break the line; a point that stands alone becomes a dot's length, so that it shows.
type path struct {
	strings.Builder
	x, y    int
	drawing bool
	points  int // of the piece that is being drawn
}

func coordinate(share float64) int {
	return int(math.Round(min(max(share, -1), 2) * unit))
}

func (p *path) to(x, y float64) {
	if math.IsNaN(x) || math.IsNaN(y) {
		p.end()
		return
	}
	px, py := coordinate(x), coordinate(1-y)
	if !p.drawing {
		p.WriteString("M" + strconv.Itoa(px) + " " + strconv.Itoa(py))
		p.drawing, p.points = true, 0
	} else {
		dx, dy := px-p.x, py-p.y
		p.WriteString("l" + strconv.Itoa(dx))
		if dy >= 0 { // a minus separates numbers as well as a space
			p.WriteString(" ")
		}
		p.WriteString(strconv.Itoa(dy))
	}
	p.x, p.y = px, py
	p.points++
}

func (p *path) end() {
	if p.drawing && p.points == 1 {
		p.WriteString("h0")
	}
	p.drawing = false
}

func (p *path) done() string {
	p.end()
	return p.String()
}
