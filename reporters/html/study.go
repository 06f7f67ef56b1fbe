package html

import (
	_ "embed"
	"html/template"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

//go:embed assets/study.html.tmpl
var studyText string

// studyPage is what the page of a study shows.
type studyPage struct {
	Title, Kind, Word, Sign, Result, About, Reason, Version string

	Policy  string
	Style   template.CSS
	Script  template.JS
	Notices []notice
	Parts   []studyPart
}

// studyPart is a section; what it does not have is left out.
type studyPart struct {
	ID, Name, Note string

	Cards  []card
	Legend []legend
	Curves []curve
	Tables []studyTable
	Texts  []string
	Facts  []Fact
}

type curve struct {
	Title string
	SVG   template.HTML
}

// studyTable is a table; its first column names the row. After the second may stand a drawing.
type studyTable struct {
	First   string
	Columns []studyColumn // after the first
	Drawn   string        // title of the column with the drawing, which stands after the first two; "": none
	Axis    template.HTML
	Rows    []studyRow
}

type studyColumn struct {
	Name string
	Left bool // texts, not figures
}

// figureColumns makes columns of figures.
func figureColumns(names ...string) (list []studyColumn) {
	for _, name := range names {
		list = append(list, studyColumn{Name: name})
	}
	return list
}

type studyRow struct {
	Name, Remark, Link string

	Class   string
	Drawing template.HTML
	Cells   []studyCell
}

// studyCell is a figure as it is read and, for programs, as it stands in the study's JSON.
type studyCell struct {
	Text, Class, Value, Link string
	Left                     bool // a text, not a figure
}

// exactly writes a number as JSON does.
func exactly(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// WriteStudy writes the page of a study. Runs of it that have a page of their own are linked from it, relative to the folder that the page
// is written into; "" is the working directory.
func WriteStudy(w io.Writer, s *report.Study, folder string) error {
	t, err := template.New("study").Parse(studyText)
	if err != nil {
		return err
	}
	return t.Execute(w, newStudy(s, folder))
}

func newStudy(s *report.Study, folder string) *studyPage {
	links := linker{study: s, folder: folder}
	var p *studyPage
	switch {
	case s.Sweep != nil:
		p = newSweep(s.Sweep, links)
	case s.Compared != nil:
		p = newCompared(s.Compared, links)
	default:
		p = newCapacity(s.Capacity, links)
	}
	p.Style, p.Script, p.Policy = template.CSS(styleText), template.JS(scriptText), policy() //nolint:gosec // our own files
	return p
}

// begin fills in what a study is of.
func begin(head report.Head, kind string) *studyPage {
	p := &studyPage{Title: report.Clean(head.Name), Kind: kind, Word: "COMPLETE", Sign: "✓", Result: "passed", Version: head.Version}
	if !head.Started.IsZero() {
		p.About = head.Started.Format("2 January 2006, 15:04:05 MST")
	}
	if p.Title == "" {
		p.Title = strings.ToUpper(kind[:1]) + kind[1:]
	}
	return p
}

// incomplete marks a study that did not come to its end.
func (p *studyPage) incomplete(word string) { p.Word, p.Sign, p.Result = word, "■", "interrupted" }

// facts makes the list of those that are known.
func facts(list ...Fact) []Fact {
	return slices.DeleteFunc(list, func(f Fact) bool { return f.Value == "" })
}

// draw adds a curve to a part.
func (p *studyPart) draw(title string, c *charts.Curve) {
	p.Curves = append(p.Curves, curve{Title: title, SVG: template.HTML(c.SVG())}) //nolint:gosec // charts escapes what it is given
}

// linker finds the pages of runs.
type linker struct {
	study  *report.Study
	folder string // of the page
}

// to is the address of a run's page as the study's page can follow it, "" when the run has none.
func (l linker) to(artifacts string) string {
	dir := l.study.RunDir(artifacts)
	if dir == "" {
		return ""
	}
	page := filepath.Join(dir, defaultName)
	if info, err := os.Stat(page); err != nil || info.IsDir() {
		return ""
	}
	from, err := filepath.Abs(l.folder)
	if err != nil {
		return ""
	}
	if page, err = filepath.Abs(page); err != nil {
		return ""
	}
	relative, err := filepath.Rel(from, page)
	if err != nil { // on another volume
		return ""
	}
	parts := strings.Split(filepath.ToSlash(relative), "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return "./" + strings.Join(parts, "/")
}
