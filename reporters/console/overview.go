package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/reporters/report"
)

// From chartRows on there is room for two charts, from tallRows on for all; each tallerRows more make them a line higher.
// From twoColumns on labels and criteria stand side by side.
const chartRows, tallRows, tallerRows, mostHeight, twoColumns = 18, 22, 10, 4, 140

// overview is the first page: something of everything.
func (m *model) overview(columns, rows int) []string {
	s := m.state
	lines := append([]string{m.head(s.elapsed, columns)}, s.summary...)
	if rows >= chartRows && columns >= 2*(nameColumns+valueColumns) {
		height := min(max(1+(rows-tallRows-tallerRows)/tallerRows, 1), mostHeight)
		lines = append(lines, history(m.paint, s.past, columns, height, rows >= tallRows)...)
	}
	lines = append(lines, "")
	room := rows - len(lines) - 1 // a line for the generator
	if columns >= twoColumns {
		lines = append(lines, m.sideBySide(columns, room)...)
	} else {
		lines = append(lines, m.below(columns, room)...)
	}
	lines = lines[:min(len(lines), rows-1)]
	for len(lines) < rows-1 {
		lines = append(lines, "")
	}
	return append(lines, s.generator)
}

// below shows labels, criteria and, where there is room, failures and events, one below the other.
func (m *model) below(columns, room int) []string {
	const leastLabels = 4 // lines that criteria leave to the table
	rules := most(m.paint, m.state.criteria, max(room-min(len(m.state.labels)+1, leastLabels)-1, min(room/3, 8), 2), "criteria")
	lines := m.labelTable(columns, room-len(rules)-1)
	lines = append(appendGap(lines), rules...)
	return m.rest(lines, columns, room)
}

// sideBySide shows the labels on the left, and criteria, failures and events on the right.
func (m *model) sideBySide(columns, room int) []string {
	const gap = 3
	left := columns * 11 / 20
	right := columns - left - gap
	var beside []string
	if len(m.state.criteria) > 0 {
		beside = append([]string{m.paint.Dim("criteria")}, most(m.paint, m.state.criteria, max(room/2, 3), "criteria")...)
	}
	beside = m.rest(beside, right, room)
	for i, line := range beside {
		beside[i] = report.Fit(line, right)
	}
	return report.Beside(m.labelTable(left, room), beside, left+gap)
}

// rest adds failures and events to lines where there is room for them.
func (m *model) rest(lines []string, columns, room int) []string {
	const least = 3 // lines of a section: a gap, a title and something below
	if left := room - len(lines); left >= least {
		events := 0
		if len(m.state.events) > 0 && left >= 2*least {
			events = min(len(m.state.events)+2, left/3)
		}
		if table := m.failureTable(columns, left-1-events); table != nil {
			lines = append(appendGap(lines), table...)
		}
	}
	if left := room - len(lines); left >= least && len(m.state.events) > 0 {
		lines = append(appendGap(lines), m.paint.Dim("events"))
		lines = append(lines, m.state.events[:min(len(m.state.events), left-2)]...)
	}
	return lines
}

// appendGap adds a blank line to what there is.
func appendGap(lines []string) []string {
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}

// labelTable is the table per label in at most room lines, the busiest labels where not all fit.
func (m *model) labelTable(columns, room int) []string {
	s := m.state
	keep := room - 1 // for the titles
	if len(s.labels)+s.unlisted > keep {
		keep-- // for what says so
	}
	if keep < 1 {
		return nil
	}
	rows := busiest(s.labels, keep, func(r labelRow) int64 { return r.finished })
	table := &report.Table{Palette: m.paint, Marks: map[int]func(string) string{}, Columns: []report.Column{
		{Title: "label"}, {Title: "count"}, {Title: "rate", Drop: 2}, {Title: "p50"}, {Title: "p95"}, {Title: "p99", Drop: 1}, {Title: "failed"},
	}}
	for i, row := range rows {
		if row.failed {
			table.Marks[i] = m.paint.Bad
		}
		table.Rows = append(table.Rows, row.cells)
	}
	lines := table.Lines(columns)
	if rest := len(s.labels) + s.unlisted - len(rows); rest > 0 {
		lines = append(lines, m.paint.Dim("… and "+report.Plural(rest, "more label")))
	}
	return lines
}

// head is the first line of every page.
func (m *model) head(elapsed time.Duration, columns int) string {
	name := report.Fit(report.Clean(m.run.Name), max(columns-30, 10))
	return m.paint.Bold(name) + "  " + progress(m.run, elapsed, columns-report.Width(name)-3)
}

// progress shows how much of the plan has passed.
func progress(run report.Run, elapsed time.Duration, width int) string {
	if run.Duration <= 0 {
		text := report.Clock(elapsed)
		if run.Ends != "" {
			text += "  ends " + report.Clean(run.Ends)
		}
		return text
	}
	share := min(1, float64(elapsed)/float64(run.Duration))
	text := report.Clock(elapsed) + "/" + report.Clock(run.Duration)
	bar := min(40, width-report.Width(text)-8)
	if bar < 5 {
		return text
	}
	full := int(share * float64(bar))
	return text + " " + strings.Repeat("█", full) + strings.Repeat("░", bar-full) + " " + strconv.Itoa(int(share*100)) + "%"
}

// keyLine says which keys there are, and what the last one did.
func (m *model) keyLine(columns int) string {
	pause, paused := "p pause", false
	if m.state != nil && len(m.state.paused) > 0 {
		pause, paused = "p resume", true
	}
	names := pageNames()
	next := names[(m.page+1)%len(names)]
	line := m.paint.Dim("q stop  " + pause + "  +/- load  tab " + next + "  ? help")
	if columns < 60 {
		line = m.paint.Dim("q stop  p  +/-  tab  ?")
	}
	switch {
	case m.message != "":
		line = m.message + "  " + line
	case m.note != "":
		line += "  " + m.paint.Dim(report.Clean(m.note))
	}
	if paused {
		line = m.paint.Warn("paused") + "  " + line
	}
	return line
}

// pageNames are the pages of the live view, in the order in which the tab key shows them.
func pageNames() []string { return []string{"overview", "labels", "criteria", "failures", "events"} }

// further lays out the pages after the overview: each gives one subject the whole height.
func (m *model) further(page, columns, rows int) []string {
	room := max(rows-2, 1)
	var body []string
	nothing := ""
	switch pageNames()[page] {
	case "labels":
		body, nothing = m.labelTable(columns, room), "no label yet"
	case "criteria":
		body, nothing = most(m.paint, m.state.criteria, room, "criteria"), "the file has no criteria"
	case "failures":
		body, nothing = m.failureTable(columns, room), "no failure so far"
	case "events":
		body, nothing = m.state.events[:min(len(m.state.events), room)], "no event so far"
	}
	if len(body) == 0 {
		body = []string{m.paint.Dim(nothing)}
	}
	return slices.Concat([]string{m.head(m.state.elapsed, columns), ""}, body)
}

// failureTable is the table of failure texts in at most room lines; nil without any.
func (m *model) failureTable(columns, room int) []string {
	rows := m.state.failures[:min(len(m.state.failures), max(room-1, 0))]
	if len(rows) == 0 {
		return nil
	}
	table := &report.Table{Palette: m.paint, Rows: rows, Columns: []report.Column{
		{Title: "failure"}, {Title: "label", Drop: 1}, {Title: "fault"}, {Title: "count"},
	}}
	return table.Lines(columns)
}

// helpLines explain the keys and the figures.
func (m *model) helpLines(columns int) []string {
	lines := []string{m.head(m.elapsed(), columns), ""}
	for _, k := range [][2]string{
		{"q, Ctrl-C", "stop: running requests may finish, every report is written; again: at once"},
		{"p, space", "pause, and resume: no new iteration begins"},
		{"+  -", "a tenth more or less users, or arrivals per second, of every execution"},
		{"tab, 1-5", "the pages: " + strings.Join(pageNames(), ", ")},
		{"Ctrl-Z", "back to the shell; fg comes back"},
		{"?", "this help, and back"},
	} {
		lines = append(lines, m.paint.Bold(report.Pad(k[0], nameColumns+1, false))+k[1])
	}
	lines = append(lines, "", m.paint.Dim("Times are response times: from when a request was due to the end of its answer."))
	if m.run.Dir != "" {
		lines = append(lines, m.paint.Dim("Results: "+report.Clean(m.run.Dir)))
	}
	if m.note != "" {
		lines = append(lines, m.paint.Dim(report.Clean(m.note)))
	}
	return lines
}

func (m *model) elapsed() time.Duration {
	if m.state == nil {
		return 0
	}
	return m.state.elapsed
}
