package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

//go:embed assets/page.html.tmpl
var pageText string

//go:embed assets/style.css
var styleText string

//go:embed assets/script.js
var scriptText string

// page is what the template shows. Texts are as they came: the template escapes them.
type page struct {
	Title, Word, Sign, Result, About, Reason, Version string

	Policy   string
	Style    template.CSS
	Script   template.JS
	Sections []section
	Notices  []notice
	Cards    []card
	Criteria []criterion
	Compare  *comparison
	Timeline *timeline
	Faults   []fault
	Codes    []chip
	Moments  []moment
	Beside   *beside
	Events   []event

	labels
	Executions []execution
	Warmed     bool // there was a warm-up: the executions tell of it
	Counts     []Fact
	Facts      []Fact

	Configuration        string
	FaultNote, EventNote string
}

type section struct{ ID, Name string }

// notice is something that a reader must know before the figures.
type notice struct {
	Head, Text string
	Bad        bool
}

// Write writes the page of a run that has ended. What the run does not have is left out.
func Write(w io.Writer, d *Data) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	return t.Execute(w, newPage(d))
}

// maxConfiguration is how many bytes of the document are shown.
const maxConfiguration = 60_000

func newPage(d *Data) *page {
	if d.Outcome.Snapshot == nil {
		whole := *d.Outcome
		whole.Snapshot = metrics.NewSnapshot()
		withSnapshot := *d
		withSnapshot.Outcome = &whole
		d = &withSnapshot
	}
	o := d.Outcome
	totals := report.NewTotals(o.Snapshot)
	p := &page{
		Title: report.Clean(d.Run.Name), Result: string(o.Result), Word: strings.ToUpper(string(o.Result)), Sign: sign(o.Result),
		About: about(d), Reason: report.Clean(o.Reason), Version: d.Run.Version,
		Style: template.CSS(styleText), Script: template.JS(scriptText), Policy: policy(), //nolint:gosec // our own files
	}
	if p.Title == "" {
		p.Title = "Load test"
	}
	p.Notices = notices(d, totals)
	p.Cards = cards(d, totals)
	p.Criteria = newCriteria(o.Verdicts)
	if d.Baseline != nil && d.Baseline.Outcome != nil {
		p.Compare = newComparison(totals, d.Baseline)
	}
	p.Events, p.EventNote = newEvents(o)
	p.Timeline = newTimeline(d, totals, p.Events)
	p.labels = newLabels(totals, d.Baseline)
	p.Codes = newCodes(totals)
	p.Faults, p.FaultNote = newFaults(totals)
	p.Moments = newMoments(d.Moments.Slowest(shownMoments), p.Events)
	p.Beside = newBeside(d, totals)
	p.Executions, p.Warmed = newExecutions(d)
	p.Counts, p.Facts = newCounts(totals), newFacts(d)
	p.Configuration = d.Configuration
	if len(p.Configuration) > maxConfiguration {
		p.Configuration = strings.ToValidUTF8(p.Configuration[:maxConfiguration], "") + "\n… the rest is in effective.yml"
	}
	p.Sections = p.sections()
	return p
}

// policy lets the page load nothing and run no script but ours.
func policy() string {
	sum := sha256.Sum256([]byte(scriptText))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

func (p *page) sections() []section {
	list := []section{{"figures", "Figures"}}
	for _, s := range []struct {
		section
		shown bool
	}{
		{section{"criteria", "Criteria"}, len(p.Criteria) > 0},
		{section{"compare", "Comparison"}, p.Compare != nil},
		{section{"time", "Over time"}, len(p.Timeline.Panels) > 0},
		{section{"labels", "Labels"}, true},
		{section{"beside", "Beside the times"}, p.Beside != nil},
		{section{"failures", "Failures"}, len(p.Faults) > 0 || len(p.Codes) > 0},
		{section{"moments", "Slowest moments"}, len(p.Moments) > 0},
		{section{"events", "Events"}, len(p.Events) > 0},
		{section{"run", "The run"}, true},
	} {
		if s.shown {
			list = append(list, s.section)
		}
	}
	return list
}

func sign(r report.Result) string {
	switch r {
	case report.ResultPassed:
		return "✓"
	case report.ResultFailed, report.ResultError:
		return "✕"
	}
	return "■"
}

func about(d *Data) string {
	var parts []string
	if !d.Run.Started.IsZero() {
		parts = append(parts, d.Run.Started.Format("2 January 2006, 15:04:05 MST"))
	}
	return strings.Join(append(parts, duration(d.Outcome.Duration)), " · ")
}

func duration(d time.Duration) string {
	if d < time.Minute {
		return report.Nanoseconds(float64(d))
	}
	if d < time.Hour {
		return report.Clock(d) + " minutes"
	}
	return report.Clock(d) + " hours"
}

// notices say what puts the figures in doubt.
func notices(d *Data, t *report.Totals) []notice {
	var list []notice
	if t.Health.Bottleneck {
		list = append(list, notice{"The generator was the bottleneck.", "The times are not the target's alone: " + t.Health.Reason, false})
	}
	for _, e := range d.Outcome.Errors {
		list = append(list, notice{"Error:", report.Clean(e), true})
	}
	if err := t.Reconcile(); err != nil {
		list = append(list, notice{"Part of the results is missing:", err.Error(), true})
	}
	if n := t.Iterations.Dropped - t.IterationsWarm.Dropped; n > 0 {
		list = append(list, notice{"Not all of the planned load was made:", report.Thousands(n) + " due iterations were dropped (" + reasons(t) + ")", false})
	}
	for _, text := range d.Outcome.Notices {
		list = append(list, notice{"Note:", report.Clean(text), false})
	}
	return list
}

func reasons(t *report.Totals) string {
	var parts []string
	for reason, n := range t.Dropped {
		if n -= t.DroppedWarm[reason]; n > 0 {
			parts = append(parts, report.Thousands(n)+" "+metrics.Drop(reason).String())
		}
	}
	return strings.Join(parts, ", ")
}
