package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/stats"
)

// Defaults of [CompareOptions].
const (
	DefaultRepeats        = 10
	DefaultDifferenceWide = 0.02 // half-width of the interval
)

// minRepeats is how many runs of each side are made before it is asked whether they are enough.
const minRepeats = 4

// Side is one side of a comparison: a name, and the document that is run.
type Side struct {
	Name string
	Load func() (*config.File, error)
}

// Pair is a baseline with the variants that are held against it.
type Pair struct {
	Title    string
	Baseline Side
	Variants []Side
}

// CompareOptions say how often and how the sides are run.
type CompareOptions struct {
	Repeats    int           // runs of each side at most
	Precision  float64       // 0…1: half-width of the interval at which the runs are enough
	Confidence float64       // 0…1
	Pause      time.Duration // between two runs
	Rest       Pause         // nil: real time
	Prober     Prober        // asks backends for answers; nil: nobody

	Dir      string
	Save     func([]*report.Comparison) error // after each round; nil: nowhere
	Progress func(Progress)
}

// compare is a comparison under way.
type compare struct {
	CompareOptions
	ctx     context.Context
	runner  Runner
	pair    Pair
	files   []*config.File // of the sides, the baseline first
	stored  []*Stored
	folders []string         // by side
	times   [][]float64      // seconds that each run took, by side
	counts  [][]int64        // requests of each run, by side
	took    []tookTimes      // by side
	asked   map[int][]string // what the answers of a side showed, once they were asked for
	notes   []string
}

// RunCompare runs the sides of each pair in turn, forwards and backwards (A B B A), until the median difference is known
// to the precision or the repeats are used up. What was measured is returned also with an error and when the context was
// cancelled.
func RunCompare(ctx context.Context, runner Runner, pairs []Pair, o CompareOptions) ([]*report.Comparison, error) {
	if o.Confidence <= 0 || o.Confidence >= 1 {
		o.Confidence = stats.DefaultConfidence
	}
	var all []*report.Comparison
	var work []*compare
	for _, pair := range pairs { // mistakes of any of them before the first run
		c := &compare{CompareOptions: o, ctx: ctx, runner: runner, pair: pair}
		for _, side := range append([]Side{pair.Baseline}, pair.Variants...) {
			file, err := side.Load()
			if err != nil {
				return nil, err
			}
			c.files = append(c.files, withoutCriteria(file))
			c.stored = append(c.stored, &Stored{Name: side.Name, confidence: o.Confidence, whole: true})
		}
		names := make([]string, len(c.stored))
		for i, side := range c.stored {
			names[i] = side.Name
		}
		c.folders = folderNames(names)
		c.times, c.counts, c.took = make([][]float64, len(c.files)), make([][]int64, len(c.files)), make([]tookTimes, len(c.files))
		work = append(work, c)
	}
	for i, c := range work {
		before := all
		save := func() error {
			all = append(slices.Clip(before), c.results()...)
			if o.Save == nil || len(all) == 0 {
				return nil
			}
			return o.Save(all)
		}
		err := c.repeat(i, save)
		if saved := save(); err == nil {
			err = saved
		}
		if err != nil || ctx.Err() != nil {
			return all, err
		}
	}
	return all, nil
}

// repeat makes rounds of one run of each side, and saves what is known after each.
func (c *compare) repeat(pair int, save func() error) error {
	order := make([]int, len(c.files))
	for i := range order {
		order[i] = i
	}
	for round := range c.Repeats {
		for i, side := range order {
			if round > 0 || i > 0 {
				c.Rest.wait(c.ctx, c.Pause)
			}
			if c.ctx.Err() != nil {
				return nil //nolint:nilerr // an interruption is no error of the study
			}
			if err := c.run(pair, round, side); err != nil {
				return err
			}
		}
		slices.Reverse(order)
		if err := save(); err != nil {
			return err
		}
		if round+1 >= minRepeats && c.enough() {
			return nil
		}
	}
	return nil
}

// run makes one run and keeps its figures.
func (c *compare) run(pair, round, side int) error {
	name := c.stored[side].Name
	if c.pair.Title != "" {
		name = c.pair.Title + ": " + name
	}
	if c.Progress != nil {
		c.Progress(Progress{Run: round + 1, Runs: c.Repeats, Name: name})
	}
	dir := filepath.Join(c.Dir, fmt.Sprintf("%d-%s", pair+1, c.folders[side]), "run-"+strconv.Itoa(round+1))
	result, err := c.runner.Run(c.ctx, c.files[side], RunOptions{Dir: dir, Name: name})
	if err != nil {
		return err
	}
	o := result.Outcome
	switch {
	case o.Result == report.ResultInterrupted:
		return nil
	case o.Result == report.ResultError || o.Snapshot.Total().Finished == 0:
		return fmt.Errorf("run %d of %s: %s", round+1, name, o.Reason)
	}
	t := report.NewTotals(o.Snapshot)
	if t.Health.Bottleneck {
		c.note(fmt.Sprintf("in run %d of %s the load generator was the limit: %s", round+1, c.stored[side].Name, t.Health.Reason))
	}
	c.stored[side].Runs = append(c.stored[side].Runs, StoredRun{Dir: dir, figures: criteria.NewStored(result.Intervals), labels: labelsOf(result.Intervals)})
	c.times[side] = append(c.times[side], o.Duration.Seconds())
	c.counts[side] = append(c.counts[side], t.Requests.Finished)
	c.took[side].add(o.Snapshot, result.Metrics)
	return nil
}

func (c *compare) note(text string) {
	if !slices.Contains(c.notes, text) {
		c.notes = append(c.notes, text)
	}
}

// enough tells whether the difference of the medians over all requests is known to the precision, for every variant. Only
// the width of the interval is looked at, never where it lies: to stop as soon as a difference shows would find one too often.
func (c *compare) enough() bool {
	for side := 1; side < len(c.stored); side++ {
		r, _, ok := row(c.stored[0], c.stored[side], report.AllRequests, "p50", c.Confidence)
		if !ok || halfWidth(&r) > 100*c.Precision {
			return false
		}
	}
	return true
}

// halfWidth is how far the variant's figure may be off, in percent of it; infinite when nothing is known.
func halfWidth(r *report.ComparisonRow) float64 {
	if r.Low == nil || r.High == nil || r.Difference == nil {
		return math.Inf(1)
	}
	return (*r.High - *r.Low) / 2 / (1 + *r.Difference/100)
}

// results makes a comparison per variant.
func (c *compare) results() (list []*report.Comparison) {
	if len(c.stored[0].Runs) == 0 {
		return nil
	}
	for side := 1; side < len(c.stored); side++ {
		if len(c.stored[side].Runs) == 0 {
			continue
		}
		r := Diff(c.stored[0], c.stored[side], c.Confidence)
		r.Title = c.pair.Title
		r.Notes = append(r.Notes, c.notes...)
		r.Notes = append(r.Notes, c.width(r)...)
		r.Notes = append(r.Notes, overhead(c.stored[0].Name, c.took[0])...)
		r.Notes = append(r.Notes, overhead(c.stored[side].Name, c.took[side])...)
		r.Findings = append(r.Findings, c.equalWork(side)...)
		r.Findings = append(r.Findings, c.answers(side)...)
		r.Times = c.runTimes(side)
		list = append(list, r)
	}
	return list
}

// width says that the repeats were used up before the difference was known to the precision.
func (c *compare) width(r *report.Comparison) []string {
	if len(c.stored[0].Runs) < c.Repeats || c.enough() {
		return nil
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Label == report.AllRequests && row.Metric == "p50" && row.Low != nil {
			return []string{fmt.Sprintf("after %d runs a side the median difference is known to ±%.1f %%, not to ±%g %%: raise --repeats, or let runs last longer",
				len(c.stored[0].Runs), halfWidth(row), 100*c.Precision)}
		}
	}
	return nil
}

// fixed tells whether the amount of work ends a document's runs, rather than time.
func fixed(file *config.File) bool {
	for _, x := range file.Executions {
		l := x.Load
		if !(l.Iterations.Set || l.TotalIterations.Set || l.TotalRequests.Set) || l.HoldFor.V > 0 {
			return false
		}
	}
	return true
}

// equalWork says where two sides did not do the same. Runs that end by time do as much as they can; of them the mix of
// requests must be the same, and the number where a rate of arrivals was asked for.
func (c *compare) equalWork(side int) (findings []string) {
	a, b := medianCount(c.counts[0]), medianCount(c.counts[side])
	open := Searched(c.files[0]) && Searched(c.files[side])
	switch {
	case fixed(c.files[0]) && fixed(c.files[side]):
		if a != b {
			findings = append(findings, fmt.Sprintf("unequal work: %s made %d requests a run, %s made %d", c.stored[0].Name, a, c.stored[side].Name, b))
		}
	case open && math.Abs(float64(a-b)) > 0.02*float64(max(a, b)):
		findings = append(findings, fmt.Sprintf("unequal work: with the same plan of arrivals %s made %d requests a run, %s made %d", c.stored[0].Name, a, c.stored[side].Name, b))
	}
	// Shares of a few per cent vary by themselves, so only a clear shift of the mix counts.
	const shift = 0.05
	for _, label := range c.stored[0].Labels() {
		before, after := share(c.stored[0], label), share(c.stored[side], label)
		if after > 0 && math.Abs(after-before) > shift {
			findings = append(findings, fmt.Sprintf("unequal work: %s is %.0f %% of the requests of %s and %.0f %% of those of %s",
				label, 100*before, c.stored[0].Name, 100*after, c.stored[side].Name))
		}
	}
	return findings
}

func share(s *Stored, label string) float64 {
	all, one := s.values("hits", false, "", ""), s.values("hits", false, "", label)
	if len(all) == 0 || len(one) == 0 {
		return 0
	}
	return median(one) / median(all)
}

func medianCount(counts []int64) int64 {
	sorted := slices.Sorted(slices.Values(counts))
	return sorted[len(sorted)/2]
}

// runTimes are the times of the runs where they did a fixed work, else the times that a number of requests took.
func (c *compare) runTimes(side int) report.RunTimes {
	t := report.RunTimes{}
	if !fixed(c.files[0]) || !fixed(c.files[side]) {
		t.Per = 1000
	}
	seconds := func(side int) (list []float64) {
		for i, s := range c.times[side] {
			if t.Per > 0 {
				s *= float64(t.Per) / float64(c.counts[side][i])
			}
			list = append(list, s)
		}
		return list
	}
	t.Baseline, t.Variant = seconds(0), seconds(side)
	return t
}

// answers asks the two sides' addresses for the same things where they differ.
func (c *compare) answers(side int) []string {
	before, after := address(c.files[0]), address(c.files[side])
	if c.Prober == nil || before == after || before == "" || after == "" {
		return nil
	}
	if findings, known := c.asked[side]; known {
		return findings
	}
	findings, err := SameAnswers(c.ctx, c.Prober, before, after)
	if err != nil && !errors.Is(err, context.Canceled) {
		findings = append(findings, err.Error())
	}
	if c.asked == nil {
		c.asked = map[int][]string{}
	}
	c.asked[side] = findings
	return findings
}

// address is the base address of the first scenario that has one.
func address(file *config.File) string {
	for _, s := range file.Scenarios {
		if s.DefaultAddress.Set() {
			return s.DefaultAddress.Value
		}
	}
	return ""
}
