package report

import "strings"

// Table is a text table whose first column takes what the others leave, and which drops columns,
// the most dispensable first, where the width is short.
type Table struct {
	Columns []Column
	Rows    [][]string // cells of each row, as many as columns
	Palette Palette
	Marks   map[int]func(string) string // rows to colour, by index
}

// Column is a column of a [Table].
type Column struct {
	Title string
	Drop  int // 0: never dropped; higher ones go first
}

const (
	tableGap   = 2
	labelLeast = 14 // columns that labels keep before other columns are dropped
)

// Lines lays the table out in at most width columns; the first line holds the titles. Lines have
// no spaces at their ends.
func (t *Table) Lines(width int) []string {
	shown := make([]bool, len(t.Columns))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		shown[i], widths[i] = true, Width(c.Title)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Width(row[i]))
		}
	}
	rest := func() int {
		left := width
		for i := 1; i < len(widths); i++ {
			if shown[i] {
				left -= widths[i] + tableGap
			}
		}
		return left
	}
	for rest() < min(widths[0], labelLeast) {
		drop := -1
		for i, c := range t.Columns {
			if shown[i] && c.Drop > 0 && (drop < 0 || c.Drop > t.Columns[drop].Drop) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		shown[drop] = false
	}
	// Labels are worth more than dispensable figures, up to a point.
	widths[0] = max(min(widths[0], rest()), min(widths[0], 4))
	lines := make([]string, 0, len(t.Rows)+1)
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	lines = append(lines, t.Palette.Dim(joinCells(titles, widths, shown)))
	for i, row := range t.Rows {
		line := joinCells(row, widths, shown)
		if mark := t.Marks[i]; mark != nil {
			line = mark(line)
		}
		lines = append(lines, line)
	}
	return lines
}

func joinCells(cells []string, widths []int, shown []bool) string {
	var b strings.Builder
	for i, cell := range cells {
		if !shown[i] {
			continue
		}
		if i == 0 {
			b.WriteString(Pad(Fit(cell, widths[0]), widths[0], false))
			continue
		}
		b.WriteString(strings.Repeat(" ", tableGap) + Pad(cell, widths[i], true))
	}
	return strings.TrimRight(b.String(), " ")
}
