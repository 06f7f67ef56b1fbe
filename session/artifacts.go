package session

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Names of the files that a run leaves in its artifacts folder besides its reports.
const (
	LogFile       = "intervals.log"
	SummaryFile   = "summary.json" // written by the json reporter
	EffectiveFile = "effective.yml"
	MergedFile    = "merged.yml"
	TextLogFile   = "stacrun.log"
)

// artifacts are the files that are open while a run goes on.
type artifacts struct {
	logger    *slog.Logger
	text      *os.File
	intervals *metrics.LogWriter
	file      *os.File // of intervals
	give      func()   // the folder back
}

// openArtifacts takes the folder, writes the documents with secrets masked and begins the logs.
func openArtifacts(p *Prepared, opts RunOptions, info report.Run) (a *artifacts, err error) {
	a = &artifacts{}
	opened := a // a is nil where an error is returned
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	if a.give, err = TakeFolder(opts.Dir); err != nil {
		return nil, err
	}
	if err := clearFolder(opts.Dir, opts.Overwrite); err != nil {
		return nil, err
	}
	if a.text, err = os.Create(filepath.Join(opts.Dir, TextLogFile)); err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	var to io.Writer = a.text
	if opts.Log != nil {
		to = io.MultiWriter(a.text, opts.Log)
	}
	a.logger = slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))

	for name, document := range map[string]*config.Node{MergedFile: p.File.Merged, EffectiveFile: p.File.Document} {
		if err := writeDocument(filepath.Join(opts.Dir, name), document); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
	}
	if a.file, err = os.Create(filepath.Join(opts.Dir, LogFile)); err != nil {
		return nil, fmt.Errorf("make the interval log: %w", err)
	}
	if a.intervals, err = metrics.NewLogWriter(a.file, metaOf(p, info)); err != nil {
		return nil, fmt.Errorf("begin the interval log: %w", err)
	}
	return a, nil
}

// append writes an interval so that it survives whatever becomes of the process.
func (a *artifacts) append(interval *metrics.Interval) error {
	if err := a.intervals.Append(interval); err != nil {
		return err
	}
	return a.intervals.Sync()
}

func (a *artifacts) close() {
	for _, file := range []*os.File{a.file, a.text} {
		if file != nil {
			_ = file.Close() // everything that matters was synced
		}
	}
	if a.give != nil {
		a.give()
	}
}

// writeDocument writes a document as YAML, secrets masked.
func writeDocument(name string, document *config.Node) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return config.Format(file, document, config.FormatOptions{Mask: true})
}
