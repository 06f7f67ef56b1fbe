package html

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"
)

// scriptData is what the script needs to tell values under the pointer and to draw the axes anew.
type scriptData struct {
	Span   float64       `json:"span"` // seconds
	Width  float64       `json:"width"`
	Times  []figure      `json:"times"` // seconds, middle of each slot
	Counts []int64       `json:"counts"`
	Failed []int64       `json:"failed"`
	Panels []scriptPanel `json:"panels"`
	Marks  []scriptMark  `json:"marks"`
}

type scriptPanel struct {
	ID    string       `json:"id"`
	Unit  string       `json:"unit"`
	Top   figure       `json:"top"` // fixed end of the axis; 0: none
	Lines []scriptLine `json:"lines"`
}

type scriptLine struct {
	ID     string   `json:"id"`
	Values []figure `json:"values"`
}

type scriptMark struct {
	At   figure `json:"at"` // seconds
	Text string `json:"text"`
}

// figure is a number in at most five significant digits, null where there is none.
type figure float64

// MarshalJSON writes the number as short as it goes.
func (f figure) MarshalJSON() ([]byte, error) {
	v := float64(f)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, significant(v, 5), 'g', -1, 64), nil
}

// data is the JSON for the script. encoding/json writes <, > and & as escapes, so that no label
// can end the element that holds it.
func (l *timeline) data() template.JS {
	d := scriptData{Span: l.span.Seconds(), Width: l.slots[0].Width.Seconds()}
	for i := range l.slots {
		d.Times = append(d.Times, figure(l.times[i].Seconds()))
		d.Counts = append(d.Counts, l.slots[i].Total.Finished)
		d.Failed = append(d.Failed, l.slots[i].Total.Failed)
	}
	for _, p := range l.Panels {
		out := scriptPanel{ID: p.ID, Unit: p.Unit, Top: figure(p.top)}
		for _, line := range p.lines {
			values := make([]figure, len(line.Values))
			for i, v := range line.Values {
				values[i] = figure(v)
			}
			out.Lines = append(out.Lines, scriptLine{ID: line.ID, Values: values})
		}
		d.Panels = append(d.Panels, out)
	}
	for _, m := range l.marks {
		d.Marks = append(d.Marks, scriptMark{At: figure(m.At.Seconds()), Text: m.Text})
	}
	text, err := json.Marshal(d)
	if err != nil { // numbers and texts only
		return "null"
	}
	return template.JS(text) //nolint:gosec // see above
}
