package report

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stacrun/stacrun/criteria"
)

// Nanoseconds writes a time in ns for people.
func Nanoseconds(ns float64) string { return criteria.Seconds(ns / 1e9) }

// Share writes part of whole in percent; it says 0% and 100% only when that is exact, and "-" of nothing.
func Share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return criteria.Percent(100 * float64(part) / float64(whole))
}

// Bytes writes a number of bytes for people.
func Bytes(n int64) string { return criteria.Bytes(float64(n)) }

// PerSecond writes a rate for people, "-" where there is none.
func PerSecond(rate float64, known bool) string {
	switch {
	case !known:
		return "-"
	case rate >= 100:
		return strconv.FormatFloat(math.Round(rate), 'f', -1, 64) + "/s"
	case rate > 0 && rate < 0.1:
		return strconv.FormatFloat(rate, 'g', 2, 64) + "/s"
	}
	return strconv.FormatFloat(rate, 'f', 1, 64) + "/s"
}

// Clock writes a time since the start as mm:ss, or h:mm:ss from an hour on.
func Clock(d time.Duration) string {
	s := int64(d / time.Second)
	two := func(n int64) string { return strconv.FormatInt(n/10, 10) + strconv.FormatInt(n%10, 10) }
	if s < 3600 {
		return two(s/60) + ":" + two(s%60)
	}
	return strconv.FormatInt(s/3600, 10) + ":" + two(s/60%60) + ":" + two(s%60)
}

// Clean makes a text from outside safe to print in one line: control characters, which could move
// the cursor or break a table, become spaces.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Fit cuts a text to a width in columns, with an ellipsis where it was longer.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// Width is the number of columns that a text takes on a terminal; escapes count as nothing.
func Width(s string) int { return ansi.StringWidth(s) }

// Pad fills a text with spaces to a width, on its left side when right is set.
func Pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(0, width-Width(s)))
	if right {
		return space + s
	}
	return s + space
}

// Palette colours text, or leaves it alone.
type Palette struct{ On bool }

// Good marks what passed.
func (p Palette) Good(s string) string {
	return p.paint(lipgloss.NewStyle().Foreground(lipgloss.Green), s)
}

// Bad marks failures.
func (p Palette) Bad(s string) string {
	return p.paint(lipgloss.NewStyle().Foreground(lipgloss.Red), s)
}

// Warn marks what deserves a look.
func (p Palette) Warn(s string) string {
	return p.paint(lipgloss.NewStyle().Foreground(lipgloss.Yellow), s)
}

// Dim marks what is less important.
func (p Palette) Dim(s string) string { return p.paint(lipgloss.NewStyle().Faint(true), s) }

// Bold marks titles.
func (p Palette) Bold(s string) string { return p.paint(lipgloss.NewStyle().Bold(true), s) }

// color writes in one of the 256 colours.
func (p Palette) color(number, s string) string {
	return p.paint(lipgloss.NewStyle().Foreground(lipgloss.Color(number)), s)
}

// paint renders the line as it is: the terminal's own colours are set, so that nothing needs to be known of it.
func (p Palette) paint(style lipgloss.Style, s string) string {
	if !p.On || s == "" {
		return s
	}
	return style.Inline(true).Render(s)
}

// Writer remembers the first error of a series of writes, so that none is swallowed.
type Writer struct {
	W   io.Writer
	Err error
}

// Line writes the parts and a line end.
func (w *Writer) Line(parts ...string) {
	if w.Err == nil {
		_, w.Err = io.WriteString(w.W, strings.Join(parts, "")+"\n")
	}
}

// Beside sets two blocks of lines side by side, the second one from that column on. The first one's lines must be shorter.
func Beside(left, right []string, column int) []string {
	first := lipgloss.NewStyle().Width(column).Render(strings.Join(left, "\n"))
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, first, strings.Join(right, "\n")), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
