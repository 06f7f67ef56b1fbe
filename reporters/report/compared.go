package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Compared is what a study of comparisons, or one comparison of kept runs, has found. Its JSON form is compare.json.
type Compared struct {
	Head

	Comparisons []*Comparison
	Interrupted bool
}

// comparedForm is the JSON form: the rows of all comparisons stand together.
type comparedForm struct {
	Head

	Rows        []ComparisonRow `json:"rows"`
	Comparisons []*Comparison   `json:"comparisons"`
	Interrupted bool            `json:"interrupted"`
}

// Rows are the rows of all comparisons, with their titles.
func (c *Compared) Rows() []ComparisonRow {
	rows := []ComparisonRow{}
	for _, one := range c.Comparisons {
		for _, row := range one.Rows {
			row.Comparison = one.Title
			rows = append(rows, row)
		}
	}
	return rows
}

// MarshalJSON writes the form of compare.json.
func (c *Compared) MarshalJSON() ([]byte, error) {
	form := comparedForm{Head: c.Head, Rows: c.Rows(), Comparisons: c.Comparisons, Interrupted: c.Interrupted}
	if form.Comparisons == nil {
		form.Comparisons = []*Comparison{}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // whoever wants that does it to the whole
	err := encoder.Encode(form)
	return text.Bytes(), err
}

// UnmarshalJSON reads it back. Rows belong to the comparison of their title and variant.
func (c *Compared) UnmarshalJSON(text []byte) error {
	var form comparedForm
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	*c = Compared{Head: form.Head, Comparisons: form.Comparisons, Interrupted: form.Interrupted}
	for _, row := range form.Rows {
		one := c.of(row.Comparison, row.Name)
		if one == nil {
			return fmt.Errorf("a row is of comparison %q with variant %q, which does not stand in the file", row.Comparison, row.Name)
		}
		row.Comparison = ""
		one.Rows = append(one.Rows, row)
	}
	return nil
}

func (c *Compared) of(title, variant string) *Comparison {
	for _, one := range c.Comparisons {
		if one != nil && one.Title == title && one.Variant == variant {
			return one
		}
	}
	return nil
}

// WriteText prints the table of richbench where runs were made, then each comparison.
func (c *Compared) WriteText(w io.Writer, width int, color bool) error {
	if err := Rich(w, c.Comparisons, color); err != nil {
		return err
	}
	out := &Writer{W: w}
	for _, one := range c.Comparisons {
		out.Line()
		if out.Err == nil {
			out.Err = one.WriteTable(w, width, color)
		}
	}
	return out.Err
}

// WriteMarkdown prints each comparison.
func (c *Compared) WriteMarkdown(w io.Writer) error {
	out := &Writer{W: w}
	for i, one := range c.Comparisons {
		if i > 0 {
			out.Line()
		}
		if out.Err == nil {
			out.Err = one.WriteMarkdown(w)
		}
	}
	return out.Err
}

// ComparedColumns are the columns of the CSV form.
func ComparedColumns() []string {
	return []string{
		"comparison", "baseline_name", "variant_name", "label", "metric", "baseline", "variant", "difference_percent", "low_percent", "high_percent",
		"verdict", "runs", "confidence",
	}
}

// WriteCSV writes a line per row; what is not known is empty.
func (c *Compared) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(ComparedColumns()); err != nil {
		return err
	}
	for _, one := range c.Comparisons {
		for i := range one.Rows {
			r := &one.Rows[i]
			record := []string{
				one.Title, one.Baseline, one.Variant, r.Label, r.Metric, exact(&r.Baseline), exact(&r.Variant), exact(r.Difference), exact(r.Low),
				exact(r.High), string(r.Verdict), strconv.Itoa(r.Runs), exact(&one.Confidence),
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// exact writes a number so that it is read back as the same, "" where there is none.
func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
