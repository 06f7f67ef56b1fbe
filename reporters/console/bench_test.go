package console

import (
	"io"
	"strconv"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// busySeconds are ten seconds of 200 labels.
func busySeconds() (*metrics.Snapshot, *metrics.Interval) {
	snap := metrics.NewSnapshot()
	var last *metrics.Interval
	for second := range int64(10) {
		last = &metrics.Interval{Second: second, Load: []metrics.Load{{Execution: "e", Users: 9, Planned: 9}}}
		for i := range 200 {
			row := metrics.Row{Execution: "e", Label: "GET /collections/" + strconv.Itoa(i), LastEnd: (second + 1) * 1e9, Codes: map[int]int64{200: 50}}
			for n := range int64(50) {
				row.Finished++
				row.Response.Record((n*7919%50 + int64(i) + 1) * 1e6)
			}
			row.Service = row.Response
			last.Rows = append(last.Rows, row)
		}
		snap.Add(last)
	}
	return snap, last
}

// BenchmarkSecond_session is what a second costs the session's goroutine.
func BenchmarkSecond_session(b *testing.B) {
	snap, last := busySeconds()
	c := New(Options{Out: io.Discard})
	b.ReportAllocs()
	for b.Loop() {
		c.take(last, snap, reporttest.Verdicts(), 40)
	}
}

// BenchmarkSecond_drawing is what laying it out costs in bubbletea's goroutine.
func BenchmarkSecond_drawing(b *testing.B) {
	snap, last := busySeconds()
	c := New(Options{Out: io.Discard, Color: true})
	m := &model{run: reporttest.Run(""), paint: c.paint, live: &live{}}
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(news{state: c.take(last, snap, reporttest.Verdicts(), 40)})
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}
