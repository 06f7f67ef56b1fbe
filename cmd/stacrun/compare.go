package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// compareCmd is `stacrun compare A B` and `stacrun compare FILE --variant …`.
type compareCmd struct {
	studyFlags
	Variant    []string `sep:"none" placeholder:"NAME:PATH=VALUE[;…]" help:"Hold the file with these values against the file as it is. Repeatable."`
	Repeats    *int     `placeholder:"N" help:"Runs of each side at most (default 10)."`
	Precision  *float64 `placeholder:"PERCENT" help:"Half-width of the interval of the median difference at which the runs are enough (default 2)."`
	Confidence *float64 `placeholder:"PERCENT" help:"Confidence of the intervals (default 95)."`
	Pause      string   `placeholder:"TIME" help:"Rest between two runs (default 1s)."`
	Files      []string `arg:"" name:"file" help:"One file, or two and more that are held against the first. They are not merged."`
}

// Help is the long help.
func (compareCmd) Help() string {
	return "Runs baseline and variants in turn (A B B A), until the difference is known well enough or the repeats are\n" +
		"used up. Prints the table of richbench, and per label the median difference with its interval. Criteria\n" +
		"of the files are not judged. A \"compare:\" block in the file can say what is compared.\n\n" +
		"  stacrun compare opensearch.yml pgstac.yml\n" +
		"  stacrun compare search.yml --variant '32 users:execution.concurrency=32' --repeats 6\n" +
		"  stacrun compare scenarios/opensearch-clients.yml"
}

// Run runs the verb.
func (c *compareCmd) Run(a *app) error {
	s, release := a.newStudy(c.Files[:1])
	defer release()
	file, found := s.load(nil)
	if err := a.tell(found, file); err != nil {
		return err
	}
	pairs, err := c.pairs(s, file)
	if err != nil {
		return err
	}
	o, err := c.options(file.Studies.Compare)
	if err != nil {
		return err
	}
	o.Dir, o.Progress, o.Prober = s.folder(file), s.meter.begin, stacProber{}
	if err := s.take(o.Dir); err != nil {
		return err
	}
	result := filepath.Join(o.Dir, report.ComparedFile)
	if exists(result) && !a.Overwrite {
		return fmt.Errorf("folder %s holds an earlier comparison: name another one, or say --overwrite", o.Dir)
	}
	if err := report.CheckWritable(result); err != nil {
		return err
	}
	if err := s.beginStudy(file, &c.studyFlags, o.Dir); err != nil {
		return err
	}
	answer := &report.Study{Dir: o.Dir, Compared: &report.Compared{Head: s.head(c.Files)}}
	o.Save = func(list []*report.Comparison) error {
		answer.Compared.Comparisons, answer.Compared.Interrupted = list, s.ctx.Err() != nil
		return answer.Save()
	}
	list, err := study.RunCompare(s.ctx, s, pairs, o)
	s.meter.clear()
	if len(list) == 0 {
		if err == nil {
			err = errors.New("interrupted before both sides had been run")
			a.code = session.ExitInterrupted
		}
		return s.explain(err)
	}
	if s.ctx.Err() != nil {
		a.code = session.ExitInterrupted
	}
	told := s.finish(answer, &c.studyFlags)
	if err != nil {
		a.code = session.ExitError
		return s.explain(errors.Join(err, told))
	}
	return told
}

// pairs finds what is compared: several files, flags, or the block.
func (c *compareCmd) pairs(s *studyRun, file *config.File) ([]study.Pair, error) {
	block := file.Studies.Compare
	switch {
	case len(c.Files) > 1 && len(c.Variant) > 0:
		return nil, errors.New("several files or --variant, not both: a variant is one of the one file")
	case len(c.Files) > 1:
		return []study.Pair{s.filePair(c.Files)}, nil
	case len(c.Variant) > 0:
		pair := study.Pair{Baseline: s.side(documentName(c.Files), nil)}
		for _, text := range c.Variant {
			name, overrides, ok := strings.Cut(text, ":")
			if !ok || !strings.Contains(overrides, "=") || strings.Contains(name, "=") {
				return nil, fmt.Errorf("--variant %q: want NAME:path=value[;path=value], such as '32 users:execution.concurrency=32'", text)
			}
			name = strings.TrimSpace(name)
			if slices.ContainsFunc(append(pair.Variants, pair.Baseline), func(other study.Side) bool { return other.Name == name }) {
				return nil, fmt.Errorf("--variant %q: another side of the comparison has this name", text)
			}
			pair.Variants = append(pair.Variants, s.side(name, strings.Split(overrides, ";")))
		}
		return []study.Pair{pair}, nil
	case block == nil || len(block.List) == 0:
		return nil, errors.New("nothing to compare with: name a second file, --variant NAME:path=value, or write a compare: block")
	}
	var pairs []study.Pair
	for _, row := range block.List {
		pair := study.Pair{Title: row.Title, Baseline: s.side(row.Baseline.Name, row.Baseline.Overrides)}
		for _, variant := range row.Variants {
			pair.Variants = append(pair.Variants, s.side(variant.Name, variant.Overrides))
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// side is the study's document with overrides.
func (s *studyRun) side(name string, overrides []string) study.Side {
	return study.Side{Name: name, Load: func() (*config.File, error) {
		file, found := s.load(overrides)
		return checked(file, found, overrides)
	}}
}

// filePair holds files against the first, each loaded by itself.
func (s *studyRun) filePair(names []string) study.Pair {
	var sides []study.Side
	for i, name := range names {
		short := documentName([]string{name})
		for k, other := range names {
			if k != i && documentName([]string{other}) == short {
				short = name
			}
		}
		one := *s
		one.names = []string{name}
		sides = append(sides, one.side(short, nil))
	}
	return study.Pair{Baseline: sides[0], Variants: sides[1:]}
}

func checked(file *config.File, found diag.List, overrides []string) (*config.File, error) {
	if found.HasErrors() {
		return nil, &study.InvalidError{Overrides: overrides, Diagnostics: found, File: file}
	}
	return file, nil
}

// options joins flags, block and defaults.
func (c *compareCmd) options(block *config.CompareStudy) (o study.CompareOptions, err error) {
	if block == nil {
		block = &config.CompareStudy{}
	}
	o.Repeats = given(c.Repeats, cmp.Or(block.Repeats.V, study.DefaultRepeats))
	o.Precision = given(c.Precision, cmp.Or(block.Precision.V, 100*study.DefaultDifferenceWide)) / 100
	o.Confidence = given(c.Confidence, cmp.Or(block.Confidence.V, 95)) / 100
	if o.Repeats < 1 || o.Precision <= 0 || o.Confidence <= 0 || o.Confidence >= 1 {
		return o, errors.New("--repeats and --precision must be greater than 0, --confidence between 0 and 100 %")
	}
	o.Pause, err = parseTime("pause", c.Pause, block.Pause.Or(study.DefaultPause))
	return o, err
}

// given is the value of a flag, or what holds without it. A zero that somebody wrote is a value.
func given[T any](flag *T, otherwise T) T {
	if flag != nil {
		return *flag
	}
	return otherwise
}
