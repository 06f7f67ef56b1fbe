package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stacrun/stacrun/reporters/csv"
	"github.com/stacrun/stacrun/reporters/html"
	jsonreport "github.com/stacrun/stacrun/reporters/json"
	"github.com/stacrun/stacrun/reporters/junit"
	"github.com/stacrun/stacrun/reporters/markdown"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// The forms in which a run that was read back can be told, besides text.
const (
	formHTML     = "html"
	formJUnit    = "junit"
	formCSV      = "csv"
	formTimeline = "timeline"
	formJSON     = "json"
	formMarkdown = "markdown"
)

// render writes the run of a folder in a form. before is the folder of a run to stand beside it, "" for none; html and markdown know what
// to do with one.
func render(w io.Writer, form, dir, before string) error {
	run, err := session.Replay(dir)
	if err != nil {
		return err
	}
	return renderReplayed(w, form, run, before)
}

func renderReplayed(w io.Writer, form string, run *session.Replayed, before string) error {
	switch form {
	case formHTML:
		return renderHTML(w, run, before)
	case formJUnit:
		return junit.Write(w, run.Run, &run.Outcome)
	case formCSV:
		return csv.WriteTotals(w, run.Run, &run.Outcome)
	case formTimeline:
		return csv.WriteTimeline(w, run.Run, run.Intervals)
	case formJSON:
		return jsonreport.Write(w, run.Run, &run.Outcome)
	case formMarkdown:
		return renderMarkdown(w, run, before)
	}
	return fmt.Errorf("there is no form %q of a report", form)
}

func renderHTML(w io.Writer, run *session.Replayed, before string) error {
	data, err := pageData(run)
	if err != nil {
		return err
	}
	if before != "" {
		earlier, err := session.Replay(before)
		if err != nil {
			return err
		}
		if data.Baseline, err = pageData(earlier); err != nil {
			return err
		}
	}
	return html.Write(w, data)
}

// pageData is what the page shows of a run.
func pageData(run *session.Replayed) (*html.Data, error) {
	data := html.NewData(run.Run)
	for _, interval := range run.Intervals {
		data.Add(interval)
	}
	data.Outcome = &run.Outcome
	document, err := os.ReadFile(filepath.Join(run.Run.Dir, session.EffectiveFile)) // secrets are masked in it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the configuration of the run: %w", err)
	}
	data.Configuration = string(document)
	return data, nil
}

func renderMarkdown(w io.Writer, run *session.Replayed, before string) error {
	if err := markdown.Write(w, run.Run, &run.Outcome); err != nil || before == "" {
		return err
	}
	earlier, err := study.OpenRuns(".", before)
	if err != nil {
		return err
	}
	this, err := study.OpenRuns(".", run.Run.Dir)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return study.Diff(earlier, this, 0).WriteMarkdown(w)
}
