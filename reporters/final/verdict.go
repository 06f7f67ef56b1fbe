package final

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
)

// VerdictOptions say how the verdict is printed.
type VerdictOptions struct {
	Color bool
	Width int    // columns for the list of criteria; 0: 100
	Dir   string // artifacts folder, "" when there is none
}

// Verdict writes the last lines of a run: each criterion with the observed value beside its limit,
// where the reports are, and passed or failed with the reason as the very last one. It is called
// after every reporter has ended.
func Verdict(w io.Writer, o *report.Outcome, opts VerdictOptions) error {
	out := &report.Writer{W: w}
	paint := report.Palette{On: opts.Color}
	for _, v := range o.Verdicts {
		if o.Result == report.ResultError && v.Result == criteria.NotEvaluated && nothingSent(o) {
			continue // nobody expects a figure of a run that did not begin
		}
		word := strings.ReplaceAll(string(v.Result), "-", " ")
		out.Line(mark(paint, v, report.Pad(word, len("not evaluated"), false)), "  ", sentence(v, false))
	}
	for _, e := range o.Errors {
		if o.Result == report.ResultError && e == o.Reason {
			continue // the last line says it
		}
		out.Line(paint.Bad("error"), "          ", report.Clean(e))
	}
	if opts.Dir != "" {
		out.Line("reports: ", opts.Dir, artifacts(o.Files, opts.Dir))
	}
	out.Line(last(paint, o))
	return out.Err
}

// nothingSent reports whether the run ended before its first request.
func nothingSent(o *report.Outcome) bool {
	return o.Snapshot == nil || report.NewTotals(o.Snapshot).Requests.Started == 0
}

func mark(paint report.Palette, v criteria.Verdict, word string) string {
	switch {
	case v.Fails:
		return paint.Bad(word)
	case v.Result == criteria.Passed:
		return paint.Good(word)
	}
	return paint.Warn(word)
}

// Sentence says what a criterion came to: its text, then the observed value beside the limit.
func Sentence(v criteria.Verdict) string { return sentence(v, true) }

// sentence leaves the words "not evaluated" out where they stand before it already.
func sentence(v criteria.Verdict, alone bool) string {
	text := report.Clean(v.Text)
	if v.Rule.Message != "" {
		text = report.Clean(v.Rule.Message) + " (" + text + ")"
	}
	if v.Rule.Execution != "" {
		text += " in " + report.Clean(v.Rule.Execution)
	}
	if v.Result == criteria.NotEvaluated {
		if alone {
			text += ": not evaluated"
		}
		return text + ": " + report.Clean(v.Reason)
	}
	var parts []string
	if v.Observed != "" {
		parts = append(parts, "observed "+report.Clean(v.Observed))
	}
	switch {
	case v.Limit == "":
	case v.Rule.Assert != "" && v.Limit == v.Rule.Assert: // it stands there already
	default:
		parts = append(parts, "limit "+report.Clean(v.Limit))
	}
	if v.Windowed && (v.Result == criteria.Failed || v.Result == criteria.Noticed) {
		parts = append(parts, fmt.Sprintf("from %s on for %s", report.Clock(v.Since), v.Held.Round(time.Second)))
	}
	if len(parts) == 0 {
		return text
	}
	return text + ": " + strings.Join(parts, ", ")
}

// artifacts lists the files that lie in the folder by name, and all others by path.
func artifacts(files []report.Artifact, dir string) string {
	var names []string
	for _, f := range files {
		name := f.Path
		if rel, err := filepath.Rel(absolute(dir), absolute(f.Path)); err == nil && !strings.HasPrefix(rel, "..") {
			name = rel
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// absolute makes names comparable: a reporter may name its file from the root and the user the folder from here.
func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// last is the one line that says it all.
func last(paint report.Palette, o *report.Outcome) string {
	var failed []criteria.Verdict
	for _, v := range o.Verdicts {
		if v.Fails {
			failed = append(failed, v)
		}
	}
	why := report.Clean(o.Reason)
	if len(failed) > 0 && o.Result == report.ResultFailed {
		why = Sentence(failed[0])
		if len(failed) > 1 {
			why += fmt.Sprintf("; and %d more", len(failed)-1)
		}
	}
	switch o.Result {
	case report.ResultPassed:
		if why == "" {
			why = passed(o)
		}
		return paint.Good("PASSED") + ": " + why
	case report.ResultInterrupted:
		return join(paint.Warn("INTERRUPTED"), why)
	case report.ResultError:
		if why == "" && len(o.Errors) > 0 {
			why = report.Clean(o.Errors[0])
		}
		return join(paint.Bad("ERROR"), why)
	}
	return join(paint.Bad("FAILED"), why)
}

func join(word, why string) string {
	if why == "" {
		return word
	}
	return word + ": " + why
}

func passed(o *report.Outcome) string {
	total := report.NewTotals(o.Snapshot).Total
	counts := fmt.Sprintf("%d of %d requests failed", total.Failed, total.Finished)
	if n := len(o.Verdicts); n > 0 {
		held := 0
		for _, v := range o.Verdicts {
			if v.Result == criteria.Passed {
				held++
			}
		}
		return fmt.Sprintf("%d of %d criteria hold, %s", held, n, counts)
	}
	return counts + ", no criterion was given"
}
