// Package console tells on stderr how a run is going: at a terminal by a live view on its other screen, which is
// redrawn each second and gone at the end, elsewhere by a plain line every few seconds.
//
// The session's goroutine only copies what it shows of a second ([take]) and leaves it in a slot; bubbletea lays it out and
// draws it in a goroutine of its own. A terminal that is slow, stopped or gone therefore never holds a run up: seconds
// that it had no time for are not shown. What keys do to a run is asked of [Hands]. This is the only place that
// imports bubbletea; what lipgloss does for it is in reporters/report.
package console
