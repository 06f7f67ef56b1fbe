package charts

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// checkXML sees whether a drawing is well-formed, and returns the texts in it.
func checkXML(t *testing.T, drawing string) string {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	var texts strings.Builder
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts.String()
		}
		if err != nil {
			t.Fatalf("%v in %s", err, drawing)
		}
		if text, ok := token.(xml.CharData); ok {
			texts.Write(text)
			texts.WriteString("\n")
		}
	}
}

func testPanel() *Panel {
	return &Panel{
		ID: "p", Title: "Time", Label: `a "quoted" <label>`, Span: 10 * time.Second, Height: 100,
		Times:  []time.Duration{time.Second, 3 * time.Second, 5 * time.Second, 7 * time.Second},
		Lines:  []Line{{ID: "p50", Values: []float64{1, 2, math.NaN(), 4}}, {ID: "max", Values: []float64{9, 9, 9, 90}, Hidden: true}},
		Marks:  []Mark{{At: 5 * time.Second, Text: "</svg><script>"}},
		Bands:  []Band{{To: 2 * time.Second, Text: "warm-up"}},
		Format: func(v float64) string { return time.Duration(v * 1e9).String() }, Clock: time.Duration.String,
	}
}

func TestPanel(t *testing.T) {
	p := testPanel()
	drawing := p.SVG()
	texts := checkXML(t, drawing)
	for _, want := range []string{"0s", "4s", "10s", "</svg><script>", "warm-up"} {
		if !strings.Contains(texts, want+"\n") {
			t.Errorf("no text %q in %q", want, texts)
		}
	}
	if strings.Contains(drawing, "<script>") {
		t.Error("a text is not escaped")
	}
	if p.AxisTop() != 4 {
		t.Errorf("the axis ends at %g, want 4: hidden lines do not stretch it", p.AxisTop())
	}
	for _, want := range []string{`role="img"`, `aria-label="a &#34;quoted&#34; &lt;label&gt;"`, `d="M1000 7500l2000-2500M7000 0h0"`} {
		if !strings.Contains(drawing, want) {
			t.Errorf("no %s in %s", want, drawing)
		}
	}
}

func TestPanelShapes(t *testing.T) {
	for _, tt := range []struct {
		name string
		line Line
		want string
	}{
		{"area closes at the bottom", Line{Values: []float64{4, 4, math.NaN(), math.NaN()}, Area: true}, "M1000 0l2000 0l0 10000l-2000 0"},
		{"nothing", Line{Values: []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := testPanel()
			p.Lines, p.Top = []Line{tt.line}, 4
			if got := p.outline(tt.line); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	var s metrics.Series
	for i := range int64(1000) {
		s.Record(2e6 + i*1000)
	}
	s.Record(900e6)
	spread := NewSpread(40, &s, &metrics.Series{})
	if spread.Low != 2e6 || spread.High != 1e9 {
		t.Errorf("axis %g…%g, want 2e6…1e9", spread.Low, spread.High)
	}
	total := int64(0)
	for _, n := range spread.Counts(&s) {
		total += n
	}
	if total != s.Count {
		t.Errorf("the bins hold %d values, want %d", total, s.Count)
	}
	checkXML(t, spread.Strip(&s, "<&>", []Percentile{{50, "p50", "p50 2ms"}}))
	if shape := spread.Shape(&metrics.Series{}); shape != "" {
		t.Errorf("nothing has the shape %s", shape)
	}
	few := Spread{Low: 1e6, High: 16e6, Bins: 4}
	var three metrics.Series
	for _, ms := range []int64{3, 3, 9} {
		three.Record(ms * 1e6)
	}
	if got, want := few.Shape(&three), "M1 200v-200h1v200h1v-100h1v100z"; got != want {
		t.Errorf("shape %s, want %s", got, want)
	}
	empty := NewSpread(40)
	if !(empty.Low > 0 && empty.High > empty.Low) {
		t.Errorf("axis of nothing is %+v", empty)
	}
	for _, series := range []*metrics.Series{&s, {}} {
		d := Distribution{
			ID: "d", Label: "l", Height: 100, Spread: spread, Series: series, Beside: &s, Nothing: "<nothing>",
			Levels: []Percentile{{50, "p50", "p50 <2ms>"}, {99.99, "p99", "high"}}, Format: func(ns float64) string { return time.Duration(ns).String() },
		}
		checkXML(t, d.SVG())
	}
}

func TestCurve(t *testing.T) {
	c := &Curve{
		ID: "c", Label: "<l>", Height: 100, X: []float64{1, 10, 100}, Name: "users & more",
		Lines:  []CurveLine{{ID: "a", Name: "A", Values: []float64{1, math.NaN(), 4}, Doubtful: []bool{false, false, true}}, {ID: "b", Values: []float64{2, 2, 2}}},
		Format: func(v float64) string { return time.Duration(v * 1e9).String() }, Across: func(v float64) string { return time.Duration(v).String() },
	}
	drawing := c.SVG()
	texts := checkXML(t, drawing)
	for _, want := range []string{"users & more", "4s", "10ns", "100ns"} {
		if !strings.Contains(texts, want+"\n") {
			t.Errorf("no text %q in %q", want, texts)
		}
	}
	for _, want := range []string{
		`class="s a" d="M300 7500h0M9700 0h0"`, // not joined over what is missing
		`<circle class="dot" cx="3%" cy="75%" r="4"><title>A, 1ns users &amp; more: 1s</title></circle>`, `<circle class="dot hole" cx="97%" cy="0%"`,
		`class="s b" d="M300 5000l4700 0l4700 0"`, // powers stand at equal distances
	} {
		if !strings.Contains(drawing, want) {
			t.Errorf("no %s in %s", want, drawing)
		}
	}
	checkXML(t, (&Curve{X: []float64{5}, Lines: []CurveLine{{Values: []float64{0}}}, Format: c.Format, Across: c.Across}).SVG())
}

// TestCurveOfLoads: a logarithmic axis, marks, squares and lines without points.
func TestCurveOfLoads(t *testing.T) {
	c := &Curve{
		X: []float64{100, 200, 200}, Log: true, Marks: []CurveMark{{At: 200, ID: "held", Text: "<held>", Left: true}},
		Lines: []CurveLine{
			{ID: "p50", Values: []float64{0, 1, 1000}, Broken: []bool{false, false, true}},
			{ID: "planned", Values: []float64{100, 200, 200}, Plain: true},
		},
		Format: func(v float64) string { return time.Duration(v).String() }, Across: func(v float64) string { return time.Duration(v).String() },
	}
	drawing := c.SVG()
	texts := checkXML(t, drawing)
	for _, want := range []string{"<held>", "1ns", "1µs", "10ns"} {
		if !strings.Contains(texts, want+"\n") {
			t.Errorf("no text %q in %q", want, texts)
		}
	}
	// What is not positive has no place on the axis; both values at 200 stand above one another.
	if circles, squares := strings.Count(drawing, "<circle"), strings.Count(drawing, "<rect"); circles != 1 || squares != 1 {
		t.Errorf("%d circles and %d squares, want one of each", circles, squares)
	}
	if n := strings.Count(drawing, `x="97%" y="100%"`); n != 1 {
		t.Errorf("the load that was measured twice is written %d times", n)
	}
	if !strings.Contains(drawing, `<g class="upright held" aria-hidden="true"><line x1="97%" x2="97%"`) {
		t.Errorf("no mark in %s", drawing)
	}
}

func TestForest(t *testing.T) {
	nan := math.NaN()
	ranges := []Range{{-50, -60, -40}, {100, 80, 120}, {nan, nan, nan}, {5000, 400, 1e6}}
	f := NewForest(ranges)
	if a, b := f.at(0)-f.at(-50), f.at(100)-f.at(0); math.Abs(a-b) > 1e-9 {
		t.Errorf("half is %g away from no difference, double %g", a, b)
	}
	ticks := f.Ticks()
	if !slices.Contains(ticks, 0) || !slices.IsSorted(ticks) || len(ticks) < 3 {
		t.Errorf("ticks %v", ticks)
	}
	for i, want := range []struct{ intervals, circles int }{{3, 1}, {3, 1}, {0, 0}, {2, 1}} { // an end that is cut off has no stop
		drawing := f.Row(ranges[i], "faster", "<l>")
		checkXML(t, drawing)
		if got := strings.Count(drawing, `class="interval"`); got != want.intervals {
			t.Errorf("range %d: %d lines, want %d", i, got, want.intervals)
		}
		if got := strings.Count(drawing, "<circle"); got != want.circles {
			t.Errorf("range %d: %d points, want %d", i, got, want.circles)
		}
	}
	checkXML(t, f.Head(func(p float64) string { return fmt.Sprint(p) }))
	for _, narrow := range []Range{{0.1, 0, 0.2}, {3, -2, 8}, {30, 10, 60}, {-99, -100, -98}} {
		if ticks := NewForest([]Range{narrow}).Ticks(); !slices.Contains(ticks, 0) || len(ticks) > 8 {
			t.Errorf("%v: ticks %v", narrow, ticks)
		}
	}
}
