package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteTable prints the table: a line per run, an API's name on its first one only, then what there is to say about the figures.
func (s *Sweep) WriteTable(w io.Writer, width int, color bool) error {
	p := Palette{On: color}
	t := &Table{Palette: p, Marks: map[int]func(string) string{}, Columns: []Column{
		{Title: "api"}, {Title: "users"}, {Title: "requests"}, {Title: "failures"}, {Title: "median (ms)"}, {Title: "p95 (ms)"},
		{Title: "p99 (ms)"}, {Title: "req/s"}, {Title: "generator CPU", Drop: 1},
	}}
	last := ""
	for i, r := range s.Rows {
		api := r.API
		if api == last {
			api = ""
		}
		last = r.API
		t.Rows = append(t.Rows, append([]string{Clean(api), strconv.Itoa(r.Users)}, r.cells()...))
		switch {
		case r.Failures > 0 || !r.Complete():
			t.Marks[i] = p.Bad
		case r.GeneratorLimited:
			t.Marks[i] = p.Warn
		}
	}
	out := &Writer{W: w}
	for _, line := range t.Lines(width) {
		out.Line(line)
	}
	for _, finding := range s.Findings {
		out.Line("! ", Clean(finding))
	}
	for _, note := range s.Notes() {
		out.Line(note)
	}
	return out.Err
}

// WriteMarkdown prints the table for a pull request.
func (s *Sweep) WriteMarkdown(w io.Writer) error {
	out := &Writer{W: w}
	out.Line("| api | users | requests | failures | median (ms) | p95 (ms) | p99 (ms) | req/s | generator CPU |")
	out.Line("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for i := range s.Rows {
		r := &s.Rows[i]
		out.Line("| ", MarkdownText(r.API), " | ", strconv.Itoa(r.Users), " | ", strings.Join(r.cells(), " | "), " |")
	}
	remarks(out, append(append([]string{}, s.Findings...), s.Notes()...))
	return out.Err
}

// remarks lists sentences below a table, each one as an item.
func remarks(out *Writer, texts []string) {
	if len(texts) == 0 {
		return
	}
	out.Line()
	for _, text := range texts {
		out.Line("- ", MarkdownText(strings.TrimSpace(text)))
	}
}

func (r *SweepRow) cells() []string {
	cells := []string{Thousands(r.Requests), Thousands(r.Failures), "-", "-", "-", "-", "-"}
	if r.Requests == 0 {
		return cells
	}
	cells[2], cells[3], cells[4] = wholeMS(r.MedianMS), wholeMS(r.P95MS), wholeMS(r.P99MS)
	cells[5] = Thousands(int64(math.Round(r.RPS)))
	if r.RPS < 10 {
		cells[5] = strconv.FormatFloat(r.RPS, 'f', 1, 64)
	}
	cells[6] = strconv.FormatFloat(r.GeneratorCPU, 'f', 0, 64) + "%"
	if r.GeneratorLimited {
		cells[6] += " *"
	}
	return cells
}

// Notes are sentences about the figures that a reader must know.
func (s *Sweep) Notes() (notes []string) {
	limited := false
	for i := range s.Rows {
		r := &s.Rows[i]
		name := Clean(r.API) + " with " + Plural(r.Users, "user")
		if r.GeneratorLimited {
			if !limited {
				notes = append(notes, "* the load generator was the limit here, so the server may be faster than shown:")
			}
			limited = true
			notes = append(notes, "  "+name+": "+r.GeneratorReason)
		}
		switch {
		case r.Outcome == ResultInterrupted:
			notes = append(notes, name+": interrupted; the figures are of what was measured until then")
		case r.Error != "":
			notes = append(notes, name+": "+Clean(r.Error))
		}
	}
	if n := s.Missing(); n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d runs are missing or incomplete; --resume measures only those", n, len(s.APIs)*len(s.Users)))
	}
	return notes
}

// SweepColumns are the columns of the CSV file: the first eight are those of stac-api-load-testing.
func SweepColumns() []string {
	return []string{
		"api", "users", "requests", "failures", "median_ms", "p95_ms", "p99_ms", "rps",
		"mean_ms", "min_ms", "max_ms", "duration_s", "bytes_received", "generator_cpu_percent", "generator_limited", "outcome", "error", "artifacts",
	}
}

// WriteCSV writes the rows with a line of titles. Figures of a run without any request are empty.
func (s *Sweep) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(SweepColumns()); err != nil {
		return err
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		figure := func(v float64) string {
			if r.Requests == 0 {
				return ""
			}
			return strconv.FormatFloat(v, 'f', 3, 64)
		}
		record := []string{
			r.API, strconv.Itoa(r.Users), strconv.FormatInt(r.Requests, 10), strconv.FormatInt(r.Failures, 10),
			figure(r.MedianMS), figure(r.P95MS), figure(r.P99MS), figure(r.RPS), figure(r.MeanMS), figure(r.MinMS), figure(r.MaxMS),
			strconv.FormatFloat(r.DurationS, 'f', 3, 64), strconv.FormatInt(r.BytesReceived, 10), figure(r.GeneratorCPU),
			strconv.FormatBool(r.GeneratorLimited), string(r.Outcome), r.Error, r.Artifacts,
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// wholeMS writes milliseconds as a whole number, and small ones with a decimal or two.
func wholeMS(ms float64) string {
	switch {
	case ms >= 10:
		return Thousands(int64(math.Round(ms)))
	case ms >= 1:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.FormatFloat(ms, 'f', 2, 64)
}

// Thousands writes a count with commas between groups of three digits.
func Thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var groups []string
	for len(digits) > 3 {
		groups = append([]string{digits[len(digits)-3:]}, groups...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, groups...), ",")
}

// Plural writes a count with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
