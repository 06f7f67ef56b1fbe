package console

import (
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// pageNames are the pages of the live view, in the order in which the tab key shows them.
func pageNames() []string { return []string{"overview", "labels", "criteria", "failures", "events"} }

// further lays out the pages after the overview: each gives one subject the whole height.
func (c *Console) further(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict, columns, rows int) [][]string {
	elapsed := time.Duration(iv.Second+1) * time.Second
	recent := snap.Recent(recentSeconds, true)
	page := func(body []string, nothing string) []string {
		if len(body) == 0 {
			body = []string{c.paint.Dim(nothing)}
		}
		return append([]string{c.head(elapsed, columns), ""}, body...)
	}
	room := max(rows-2, 1)
	return [][]string{
		page(labelLines(c.paint, snap, recent, columns-1, max(room-1, 1)), "no label yet"),
		page(criteriaLines(c.paint, verdicts, room), "the file has no criteria"),
		page(c.failureLines(snap, columns, room), "no failure so far"),
		page(c.eventLines(snap, room), "no event so far"),
	}
}

// failureLines shows the most frequent failure texts.
func (c *Console) failureLines(snap *metrics.Snapshot, columns, room int) []string {
	table := &report.Table{Palette: c.paint, Columns: []report.Column{{Title: "failure"}, {Title: "label", Drop: 1}, {Title: "fault"}, {Title: "count"}}}
	errors := snap.Errors()
	for _, e := range errors[:min(len(errors), max(room-1, 0))] {
		fault := e.Fault.String()
		if e.Code != 0 {
			fault += " " + strconv.Itoa(e.Code)
		}
		table.Rows = append(table.Rows, []string{report.Clean(e.Text), report.Fit(report.Clean(e.Label), 24), fault, report.Thousands(e.Count)})
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return table.Lines(columns - 1)
}

// eventLines shows the newest events, the newest first.
func (c *Console) eventLines(snap *metrics.Snapshot, room int) (lines []string) {
	events := snap.Events()
	for _, e := range slices.Backward(events[max(0, len(events)-room):]) {
		lines = append(lines, report.Clock(time.Duration(e.At))+"  "+c.paint.Dim(report.Pad(e.Kind, 9, false))+" "+report.Clean(e.Text))
	}
	return lines
}
