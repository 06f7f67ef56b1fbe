package report

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

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
	Drop  int  // 0: never dropped; higher ones go first
	Spare bool // dropped also where a label would be cut for it, and not only where labels have little room
}

const (
	tableGap   = 2
	labelLeast = 14 // columns that labels keep before other columns are dropped
	labelAmple = 40 // those that they keep before spare ones are
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
	dropFor := func(room int, may func(Column) bool) {
		for rest() < min(widths[0], room) {
			drop := -1
			for i, c := range t.Columns {
				if shown[i] && may(c) && (drop < 0 || c.Drop > t.Columns[drop].Drop) {
					drop = i
				}
			}
			if drop < 0 {
				return
			}
			shown[drop] = false
		}
	}
	dropFor(labelAmple, func(c Column) bool { return c.Spare })
	dropFor(labelLeast, func(c Column) bool { return c.Drop > 0 })
	// Labels are worth more than dispensable figures, up to a point.
	widths[0] = max(min(widths[0], rest()), min(widths[0], 4))
	lines := t.layOut(widths, shown)
	lines[0] = t.Palette.Dim(lines[0])
	for i, mark := range t.Marks {
		if mark != nil {
			lines[i+1] = mark(lines[i+1])
		}
	}
	return lines
}

// layOut sets titles and cells in columns of these widths, without colours.
func (t *Table) layOut(widths []int, shown []bool) []string {
	var styles []lipgloss.Style
	pick := func(cell func(int) string) (cells []string) {
		for i := range widths {
			if shown[i] {
				cells = append(cells, cell(i))
			}
		}
		return cells
	}
	for i, width := range widths {
		if !shown[i] {
			continue
		}
		style := lipgloss.NewStyle().Width(width)
		if i > 0 {
			style = style.Width(width + tableGap).PaddingLeft(tableGap).Align(lipgloss.Right)
		}
		styles = append(styles, style)
	}
	out := table.New().Wrap(false).BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(_, column int) lipgloss.Style { return styles[column] }).
		Headers(pick(func(i int) string { return t.Columns[i].Title })...)
	for _, row := range t.Rows {
		out.Row(pick(func(i int) string { return row[i] })...)
	}
	lines := strings.Split(out.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
