// Package console tells on stderr how a run is going: on a terminal a view that is redrawn in place
// each second and wiped at the end, elsewhere a plain line every few seconds.
//
// It only reads the snapshot, at most once a second, starts no goroutine and never puts the
// terminal into another mode: whoever reads keys does, and tells the console through a [Desk].
package console
