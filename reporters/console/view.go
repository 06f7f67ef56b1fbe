package console

import (
	"io"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// view redraws a block of lines in place at the bottom of a terminal: it goes up to where the block
// began and wipes from there. It uses no other screen and no raw mode.
type view struct {
	out   io.Writer
	size  func() (columns, rows int)
	drawn []int // widths of the lines that stand there
}

func newView(out io.Writer, size func() (int, int)) *view { return &view{out: out, size: size} }

// leastColumns and leastRows bound the view on a terminal that tells no sensible size.
const leastColumns, leastRows = 40, 8

// draw replaces the block. The lines are made for the present size, so that none wraps and the
// block never grows higher than the screen, which would leave remains in the scroll-back.
func (v *view) draw(lines func(columns, rows int) []string) error {
	columns, rows := v.room()
	var b strings.Builder
	v.back(&b, columns)
	v.drawn = v.drawn[:0]
	block := lines(columns, rows)
	if len(block) > rows {
		block = block[:rows]
	}
	for _, line := range block {
		// The last column stays free: some terminals wrap as soon as it is written.
		line = report.Fit(line, columns-1)
		b.WriteString(line + "\x1b[0m\n")
		v.drawn = append(v.drawn, report.Width(line))
	}
	_, err := io.WriteString(v.out, b.String())
	return err
}

// room is what a block may take: the last row stays free, as a line end stands below the block.
func (v *view) room() (columns, rows int) {
	columns, rows = v.size()
	return max(columns, leastColumns), max(rows, leastRows) - 1
}

// wipe removes the block.
func (v *view) wipe() error {
	columns, _ := v.size()
	var b strings.Builder
	v.back(&b, max(columns, leastColumns))
	v.drawn = nil
	_, err := io.WriteString(v.out, b.String())
	return err
}

// back goes to the beginning of the block and wipes it, line by line: some terminals keep what a
// wiped screen showed in their scroll-back. After the terminal became narrower the block's lines
// have been wrapped, so that they take more rows than were written. The line below the block is
// wiped as well: an echoed ^C may stand there.
func (v *view) back(b *strings.Builder, columns int) {
	up := 0
	for _, width := range v.drawn {
		up += max(1, (width+columns-1)/columns)
	}
	if up > 0 {
		b.WriteString("\r\x1b[2K" + strings.Repeat("\x1b[1A\x1b[2K", up))
	}
}
