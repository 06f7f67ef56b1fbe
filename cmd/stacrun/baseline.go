package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// baselineCmd is `stacrun baseline save|list`.
type baselineCmd struct {
	Save baselineSaveCmd `cmd:"" help:"Keep one or several runs as a baseline."`
	List baselineListCmd `cmd:"" help:"List the baselines that are kept here."`
}

// baselineSaveCmd is `stacrun baseline save NAME [DIR…]`.
type baselineSaveCmd struct {
	Name string   `arg:"" help:"Name of the baseline; one of that name is replaced."`
	Dirs []string `arg:"" optional:"" name:"dir" help:"Artifacts folders of runs, or folders of such; without any, the latest run here."`
}

// Help is the long help.
func (baselineSaveCmd) Help() string {
	return "Copies interval logs and summaries to " + study.BaselinesDir + "/NAME. Several runs of one build tell how much it\n" +
		"varies by itself, so that --baseline and diff do not take that for a difference; five are a good number.\n\n" +
		"  stacrun baseline save main results-1 results-2 results-3\n" +
		"  stacrun search.yml --baseline main"
}

// Run runs the verb.
func (c *baselineSaveCmd) Run(a *app) error {
	dirs := c.Dirs
	if len(dirs) == 0 {
		latest, err := latestRun(".")
		if err != nil {
			return err
		}
		dirs = []string{latest}
	}
	target, err := study.Save(".", c.Name, dirs)
	if err != nil {
		return err
	}
	kept, err := study.OpenRuns(".", target)
	if err != nil {
		return err
	}
	return a.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "baseline %s: %s from %s\n", c.Name, runs(len(kept.Runs)), strings.Join(dirs, ", "))
		if err == nil && len(kept.Runs) < 3 {
			_, err = fmt.Fprintln(w, "note: three runs or more tell how much the build varies by itself")
		}
		return err
	})
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// latestRun finds the folder below dir with the newest interval log.
func latestRun(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("look for the latest run: %w", err)
	}
	name, newest := "", time.Time{}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name(), session.LogFile))
		if e.IsDir() && err == nil && info.ModTime().After(newest) {
			name, newest = e.Name(), info.ModTime()
		}
	}
	if name == "" {
		return "", errors.New("there is no run in this folder: name the artifacts folder of one")
	}
	return filepath.Join(dir, name), nil
}

// baselineListCmd is `stacrun baseline list`.
type baselineListCmd struct {
	formatFlag
}

// listedBaseline is the JSON form: a contract.
type listedBaseline struct {
	Name      string   `json:"name"`
	Runs      int      `json:"runs"`
	Saved     string   `json:"latest_run"` // RFC 3339
	Scenarios []string `json:"scenarios"`
	Labels    []string `json:"labels"`
	Error     string   `json:"error,omitempty"`
}

// Run runs the verb.
func (c *baselineListCmd) Run(a *app) error {
	names, err := study.Baselines(".")
	if err != nil {
		return fmt.Errorf("list baselines: %w", err)
	}
	list := []listedBaseline{}
	for _, name := range names {
		b := listedBaseline{Name: name, Scenarios: []string{}, Labels: []string{}}
		kept, err := study.OpenRuns(".", filepath.Join(study.BaselinesDir, name))
		if err != nil {
			b.Error = err.Error()
			a.code = session.ExitError
		} else {
			last := kept.Runs[len(kept.Runs)-1]
			b.Runs, b.Saved, b.Labels = len(kept.Runs), last.Started.Format(time.RFC3339), kept.Labels()
			b.Scenarios = append(b.Scenarios, last.Scenarios...)
		}
		list = append(list, b)
	}
	return a.print(func(w io.Writer) error {
		if c.Format == "json" {
			return writeJSON(w, list)
		}
		if len(list) == 0 {
			_, err := fmt.Fprintln(w, "no baselines here; \"stacrun baseline save NAME\" keeps the latest run")
			return err
		}
		for _, b := range list {
			line := fmt.Sprintf("%-20s %-8s of %s, latest %s", b.Name, runs(b.Runs), listOr(b.Scenarios, "no scenario"), cmp.Or(b.Saved, "unknown"))
			if b.Error != "" {
				line = fmt.Sprintf("%-20s unreadable: %s", b.Name, b.Error)
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
		return nil
	})
}

// openBaseline reads what --baseline names; nil without the flag.
func (a *app) openBaseline() (*study.Stored, error) {
	if a.Against == "" {
		return nil, nil
	}
	stored, err := study.OpenRuns(".", a.Against)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	return stored, nil
}

// suits warns about a baseline that is of another scenario, and refuses one that shares no label with the plan.
func suits(stored *study.Stored, prepared *session.Prepared) diag.List {
	var found diag.List
	var names []string
	for _, label := range prepared.Plan.Labels() {
		if label.Pattern {
			return nil
		}
		names = append(names, label.Name)
	}
	var strange []string
	common := false
	for _, label := range stored.Labels() {
		if slices.Contains(names, label) {
			common = true
		} else {
			strange = append(strange, label)
		}
	}
	switch {
	case !common:
		found.Errorf("baseline", diag.Pos{}, "", "the baseline %q has other labels than this plan: %s", stored.Name, strings.Join(strange, ", ")).
			WithHint("save a baseline of this scenario, such as: stacrun baseline save NAME DIR")
	case len(strange) > 0:
		found.Warnf("baseline", diag.Pos{}, "", "the baseline %q also has labels that this plan does not have: %s", stored.Name, strings.Join(strange, ", "))
	}
	return found
}
