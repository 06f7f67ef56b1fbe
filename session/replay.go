package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Replayed is an earlier run, read back from its interval log.
type Replayed struct {
	Run       report.Run
	Intervals []*metrics.Interval
	Outcome   report.Outcome
	Told      bool  // the run lived to write its summary; one that sent nothing has no more than that
	Complete  bool  // the log has its final interval; else the run was killed and the log ends where it was
	Damaged   error // where the log cannot be read any further; nil: it can be read to its end
}

// Replay reads the run in dir, judges it again by the criteria it was run with, and gives the
// outcome that it had, or that it would have had, had it ended where its log ends: a killed run
// counts as interrupted. Of a damaged log it tells what stands before the damage.
func Replay(dir string) (*Replayed, error) {
	file, err := os.Open(filepath.Join(dir, LogFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no folder of a run: it holds no %s\n  hint: a run names its folder at the end, after \"reports:\"", dir, LogFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read the run: %w", err)
	}
	defer file.Close()
	header, intervals, err := metrics.ReadLog(file)
	var damaged *metrics.CorruptError
	if err != nil && (!errors.As(err, &damaged) || len(intervals) == 0) {
		return nil, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	var m meta
	if err := json.Unmarshal(header.Run, &m); err != nil {
		return nil, fmt.Errorf("read the header of %s: %w", file.Name(), err)
	}
	replayed := &Replayed{Run: m.run(dir), Intervals: intervals}
	words := readOwnWords(dir)
	replayed.judge(&m, words.interrupted())
	replayed.recall(words)
	if damaged != nil { // an error, so that every form tells it
		replayed.Damaged = damaged
		replayed.Outcome.Errors = append(replayed.Outcome.Errors, damaged.Error()+"; what was written behind that is missing")
	}
	return replayed, nil
}

// judge folds the intervals again. What needs the whole run is not evaluated of one that was interrupted.
func (r *Replayed) judge(m *meta, interrupted bool) {
	var options criteria.Options
	if len(m.Baseline) > 0 {
		options.Baseline = storedFigures(m.Baseline)
	}
	judge, _ := criteria.Compile(m.Criteria, m.labels(), options) // they compiled when the run was made
	snapshot := metrics.NewSnapshot()
	for _, interval := range r.Intervals {
		snapshot.Add(interval)
		judge.Observe(interval, snapshot)
		r.Complete = r.Complete || interval.Final
	}
	end := ending{interrupted: interrupted}
	if !r.Complete {
		end.interrupted, end.reason = true, "the run was killed: its log has no end"
	}
	end.verdicts = judge.End(snapshot, end.interrupted)
	end.gate(m.Functional, m.Criteria, m.DefaultGate, snapshot)
	o := &r.Outcome
	o.Result, o.ExitCode, o.Reason = end.conclude()
	o.Verdicts, o.Snapshot, o.Notices = end.verdicts, snapshot, warnings(snapshot)
	if start, stop, ok := snapshot.Window(); ok {
		o.Duration = time.Duration(stop - start)
	}
	o.Ended = r.Run.Started.Add(o.Duration)
}

// ownWords are what only the run itself could know, from its summary.
type ownWords struct {
	Outcome  report.Result `json:"outcome"` // "": it did not live to write one
	ExitCode int           `json:"exit_code"`
	Reason   string        `json:"reason"`
	Errors   []string      `json:"errors"`
	Notices  []string      `json:"notices"`
	Ended    time.Time     `json:"ended"`
	Criteria []struct {
		Reason string `json:"reason"`
	} `json:"criteria"`
}

func readOwnWords(dir string) (w ownWords) {
	text, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil || json.Unmarshal(text, &w) != nil {
		return ownWords{}
	}
	return w
}

// interrupted says so of a run with another outcome too: a rule had failed it before.
func (w *ownWords) interrupted() bool {
	for _, c := range w.Criteria {
		if c.Reason == criteria.ReasonInterrupted {
			return true
		}
	}
	return w.Outcome == report.ResultInterrupted
}

// recall takes over what the run has told.
func (r *Replayed) recall(summary ownWords) {
	if summary.Outcome == "" {
		return
	}
	r.Told = true
	r.Outcome.Result, r.Outcome.ExitCode, r.Outcome.Errors = summary.Outcome, summary.ExitCode, summary.Errors
	if !summary.Ended.IsZero() {
		r.Outcome.Ended = summary.Ended
	}
	for _, notice := range summary.Notices { // those of the log are among them
		if !slices.Contains(r.Outcome.Notices, notice) {
			r.Outcome.Notices = append(r.Outcome.Notices, notice)
		}
	}
	if summary.Reason != "" {
		r.Outcome.Reason = summary.Reason
	}
}
