package final

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// Which tests of a functional run are listed.
const (
	FailedTests = "failed"
	AllTests    = "all"
)

var _ report.CaseReporter = (*Final)(nil)

// Case keeps a test case of a functional run, if it is to be listed.
func (f *Final) Case(c report.Case) {
	wrong := c.Status == report.CaseFailed || c.Status == report.CaseBroken
	if wrong || f.options.ReportTests == AllTests {
		if !wrong {
			c.Details = ""
		}
		f.cases = append(f.cases, c)
	}
}

func (f *Final) printCases(w *report.Writer, paint report.Palette) {
	for i := range f.cases {
		c := &f.cases[i]
		word := string(c.Status)
		switch c.Status {
		case report.CaseFailed, report.CaseBroken:
			word = paint.Bad(word)
		case report.CasePassed:
			word = paint.Good(word)
		}
		line := fmt.Sprintf("%s %s: %s", word, report.Clean(c.Suite), report.Clean(c.Name))
		if c.Number > 0 {
			line += fmt.Sprintf(" [%d]", c.Number+1)
		}
		if c.Message != "" {
			line += ": " + report.Clean(c.Message)
		}
		w.Line(line)
		if f.options.Details {
			for text := range strings.Lines(c.Details) {
				w.Line("    ", report.Clean(strings.TrimRight(text, "\r\n")))
			}
		}
	}
	if len(f.cases) > 0 {
		w.Line()
	}
}
