package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stacrun/stacrun/metrics"
	jsonreport "github.com/stacrun/stacrun/reporters/json"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/web"
)

// keptRuns are the runs whose folders lie in one folder.
type keptRuns struct{ root string }

// maxPast is how many of them are listed at most, the newest ones.
const maxPast = 200

// Past lists them, newest first. What is no run, or cannot be read, is left out.
func (k keptRuns) Past() ([]web.Past, error) {
	entries, err := os.ReadDir(k.root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	var list []web.Past
	for _, entry := range entries {
		if past, ok := readPast(filepath.Join(k.root, entry.Name())); ok {
			list = append(list, past)
		}
	}
	slices.SortFunc(list, func(a, b web.Past) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	return list[:min(len(list), maxPast)], nil
}

// readPast reads the head of a run's log, and its summary where it lived to write one.
func readPast(dir string) (past web.Past, ok bool) {
	file, err := os.Open(filepath.Join(dir, session.LogFile))
	if err != nil {
		return past, false
	}
	defer file.Close()
	reader, err := metrics.NewLogReader(file)
	if err != nil {
		return past, false
	}
	defer reader.Close()
	var head struct {
		Name    string    `json:"name"`
		Started time.Time `json:"started"`
	}
	if json.Unmarshal(reader.Header().Run, &head) != nil {
		return past, false
	}
	past = web.Past{ID: filepath.Base(dir), Name: head.Name, Started: head.Started}
	text, err := os.ReadFile(filepath.Join(dir, session.SummaryFile))
	if err != nil {
		return past, true
	}
	var summary jsonreport.Summary
	if json.Unmarshal(text, &summary) != nil {
		return past, true
	}
	past.Outcome, past.Duration = summary.Outcome, summary.DurationS
	past.Requests, past.Failed = summary.Total.Count, summary.Total.Failures
	past.Rate, past.P95 = summary.Total.Rate, summary.Total.Response.P95
	return past, true
}

// Render writes a run in a form.
func (k keptRuns) Render(w io.Writer, form, id, before string) error {
	if before != "" {
		before = filepath.Join(k.root, before)
	}
	return render(w, form, filepath.Join(k.root, id), before)
}

// Log writes the end of the log of a run.
func (k keptRuns) Log(w io.Writer, id string, limit int64) error {
	file, err := os.Open(filepath.Join(k.root, id, session.TextLogFile))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if _, err := file.Seek(max(0, info.Size()-limit), io.SeekStart); err != nil {
		return err
	}
	_, err = io.CopyN(w, file, limit)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
