package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Loader loads the document of the study with further overrides, which win over the user's own.
type Loader func(overrides []string) (*config.File, diag.List)

// Runner runs a document once. An error says that it could not be run at all; whatever happened in a run stands in its outcome.
// A cancelled context stops the run gracefully.
type Runner interface {
	Run(ctx context.Context, file *config.File, opts RunOptions) (Result, error)
}

// RunOptions say where and under which name a run is made.
type RunOptions struct {
	Dir  string // artifacts folder; an earlier run in it is replaced
	Name string // for people, such as "http://127.0.0.1:8085, 50 users"
}

// Result is what a run left.
type Result struct {
	Outcome   *report.Outcome
	Intervals []*metrics.Interval
	Metrics   map[string]string // label to the name of the number that is taken out of its answers
}

// Progress is where a study is: before each run and each pause.
type Progress struct {
	Run   int           // from 1
	Runs  int           // in all, as far as known; 0: unknown
	Name  string        // of the run that begins
	Left  time.Duration // until the end, as planned; 0: unknown
	Notes []string      // what has been learned since the last one
}

// ErrInvalid is wrapped when the document has mistakes; the diagnostics are in an [InvalidError].
var ErrInvalid = errors.New("the document cannot be run")

// InvalidError holds what is wrong with a document once overrides were applied.
type InvalidError struct {
	Overrides   []string
	Diagnostics diag.List
	File        *config.File // as far as it could be read
}

// Error names the overrides.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("%v with %s", ErrInvalid, strings.Join(e.Overrides, ", "))
}

// Unwrap returns [ErrInvalid].
func (*InvalidError) Unwrap() error { return ErrInvalid }

// load loads a document that must be free of errors.
func load(loader Loader, overrides []string) (*config.File, error) {
	file, found := loader(overrides)
	if found.HasErrors() {
		return nil, &InvalidError{Overrides: overrides, Diagnostics: found, File: file}
	}
	return file, nil
}

// digest identifies a document, so that a study is only resumed with the one that it began with.
func digest(file *config.File) (string, error) {
	sum := sha256.New()
	if err := config.Format(sum, file.Merged, config.FormatOptions{}); err != nil {
		return "", fmt.Errorf("take the digest of the document: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// withoutCriteria is the document without its criteria, for studies in which they would only get in the way.
func withoutCriteria(file *config.File) *config.File {
	plain := *file
	plain.Criteria = nil
	plain.Settings.DefaultGate = "none"
	return &plain
}

// sleep waits, unless the study is interrupted meanwhile.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Pause is how a study rests between runs; nil stands for real time.
type Pause func(ctx context.Context, d time.Duration)

func (p Pause) wait(ctx context.Context, d time.Duration) {
	if p == nil {
		p = sleep
	}
	p(ctx, d)
}
