package console

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// state is what the live view shows of a second. It holds copies only, so that it can be laid out while the run goes on, for any size of
// the terminal.
type state struct {
	elapsed   time.Duration
	summary   []string // load, last seconds, the run so far, failures
	past      []beat   // the newest last
	labels    []labelRow
	unlisted  int        // labels that are not among them
	criteria  []string   // a line each
	failures  [][]string // text, label, fault, count
	events    []string   // the newest first
	generator string
	levels    []Level
	paused    map[string]bool // by execution
}

// labelRow is a row of the table per label.
type labelRow struct {
	cells    []string
	finished int64
	failed   bool
}

// recentSeconds is what the live view shows rates and percentiles of.
const recentSeconds = 10

// take copies what is to be shown of a second, for a terminal of that many rows.
func (c *Console) take(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict, rows int) *state {
	c.note(iv)
	recent := c.recent(snap)
	c.remember(recent)
	s := &state{
		elapsed: time.Duration(iv.Second+1) * time.Second, past: slices.Clone(c.past), criteria: criteriaLines(c.paint, verdicts),
		failures: failures(snap, rows), events: c.events(snap, rows), generator: generatorLine(c.paint, iv, snap), paused: maps.Clone(c.paused),
	}
	s.summary = c.summary(snap, recent)
	s.labels, s.unlisted = labels(snap, recent, rows)
	for i := range c.load {
		l := &c.load[i]
		s.levels = append(s.levels, Level{l.Execution, l.Open, l.Planned})
	}
	return s
}

// recent are the last seconds of a run, the newest last.
type recent struct {
	seconds []*metrics.Interval
	totals  []*metrics.Row // of each: requests, warm-up included
	total   metrics.Row    // of all
}

// recent gives the last seconds. It is [metrics.Snapshot.Recent] without histograms per label, which nobody would see: with many labels
// they would cost more than all else together. The total of a second is kept while the second is the same.
func (c *Console) recent(snap *metrics.Snapshot) *recent {
	r := &recent{}
	first, last, _ := snap.Seconds()
	kept := map[*metrics.Interval]*metrics.Row{}
	for second := max(first, last-recentSeconds+1); second <= last; second++ {
		iv := snap.Second(second)
		if iv == nil {
			iv = &metrics.Interval{Second: second}
		}
		total := c.totals[iv]
		if total == nil {
			total = requests(iv)
		}
		kept[iv] = total
		r.seconds, r.totals = append(r.seconds, iv), append(r.totals, total)
		r.total.Merge(total)
	}
	c.totals = kept
	return r
}

// requests sums up the requests of a second, warm-up included: whoever looks on wants to see that something happens.
func requests(iv *metrics.Interval) *metrics.Row {
	total := &metrics.Row{}
	for i := range iv.Rows {
		if row := &iv.Rows[i]; row.Kind == metrics.RequestKind {
			total.Merge(row)
		}
	}
	return total
}

// rate is what is finished of a row per second.
func (r *recent) rate(finished int64) float64 {
	return float64(finished) / float64(max(len(r.seconds), 1))
}

func (c *Console) summary(snap *metrics.Snapshot, recent *recent) []string {
	total := snap.Total()
	rate, known := snap.Rate(total)
	more := []string{report.Thousands(total.Finished) + " requests"}
	if dropped := droppedIn(snap); dropped > 0 {
		more = append(more, c.paint.Warn(report.Thousands(dropped)+" iterations dropped"))
	}
	lines := []string{loadLine(c.paint, c.load, recent.seconds)}
	if line := agentsLine(c.paint, snap.Agents()); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines,
		figuresLine(c.paint, fmt.Sprintf("last %ds", len(recent.seconds)), &recent.total, report.PerSecond(recent.rate(recent.total.Finished), true)),
		figuresLine(c.paint, "all", total, report.PerSecond(rate, known), more...),
	)
	if total.Failed > 0 {
		lines = append(lines, c.paint.Bad(failedText(total)))
	}
	return lines
}

// labels are the busiest n rows of the table per label, in the order of their names, and how many there are besides.
func labels(snap *metrics.Snapshot, recent *recent, n int) ([]labelRow, int) {
	finished := map[string]int64{}
	for _, iv := range recent.seconds {
		for i := range iv.Rows {
			if row := &iv.Rows[i]; row.Kind == metrics.RequestKind {
				finished[row.Label] += row.Finished
			}
		}
	}
	rows := snap.RequestRows()
	unlisted := max(len(rows)-n, 0)
	var list []labelRow
	for _, row := range busiest(rows, n, func(r *metrics.Row) int64 { return r.Finished }) {
		times := []string{"-", "-", "-"}
		if row.Response.Count > 0 {
			for i, q := range []float64{50, 95, 99} {
				times[i] = report.Nanoseconds(row.Response.Quantile(q))
			}
		}
		failed := "0"
		if row.Failed > 0 {
			failed = fmt.Sprintf("%d (%s)", row.Failed, report.Share(row.Failed, row.Finished))
		}
		list = append(list, labelRow{finished: row.Finished, failed: row.Failed > 0, cells: []string{
			report.Clean(row.Label), strconv.FormatInt(row.Finished, 10), report.PerSecond(recent.rate(finished[row.Label]), true),
			times[0], times[1], times[2], failed,
		}})
	}
	return list, unlisted
}

// busiest keeps the n of a list with the most samples, in the order that they had.
func busiest[T any](list []T, n int, samples func(T) int64) []T {
	if len(list) <= n {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(samples(list[b]), samples(list[a])) })
	order = order[:max(n, 0)]
	slices.Sort(order)
	kept := make([]T, len(order))
	for i, at := range order {
		kept[i] = list[at]
	}
	return kept
}

// failures are the n most frequent failure texts.
func failures(snap *metrics.Snapshot, n int) (rows [][]string) {
	errors := snap.Errors()
	for _, e := range errors[:min(len(errors), n)] {
		fault := e.Fault.String()
		if e.Code != 0 {
			fault += " " + strconv.Itoa(e.Code)
		}
		rows = append(rows, []string{report.Clean(e.Text), report.Fit(report.Clean(e.Label), 24), fault, report.Thousands(e.Count)})
	}
	return rows
}

// events are the n newest events, the newest first.
func (c *Console) events(snap *metrics.Snapshot, n int) (lines []string) {
	events := snap.Events()
	for _, e := range slices.Backward(events[max(0, len(events)-n):]) {
		lines = append(lines, report.Clock(time.Duration(e.At))+"  "+c.paint.Dim(report.Pad(e.Kind, 9, false))+" "+report.Clean(e.Text))
	}
	return lines
}

// note keeps what keys need to know of a second. Pauses are read from the events, whoever made them.
func (c *Console) note(iv *metrics.Interval) {
	if len(iv.Load) > 0 {
		c.load = iv.Load
	}
	for _, e := range iv.Events {
		if e.Kind != "load" {
			continue
		}
		if name, ok := strings.CutSuffix(e.Text, ": paused"); ok {
			c.paused[name] = true
		}
		if name, ok := strings.CutSuffix(e.Text, ": resumed"); ok {
			delete(c.paused, name)
		}
	}
}
