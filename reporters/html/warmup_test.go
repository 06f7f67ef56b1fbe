package html

import (
	"slices"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// TestWarmUpStandsApart has a run whose warm-up was its slowest second, with most users and the only dropped iteration.
func TestWarmUpStandsApart(t *testing.T) {
	d := NewData(reporttest.Run(""))
	warm := &metrics.Interval{
		Rows: []metrics.Row{{Execution: "browse", Label: "slow", WarmUp: true, Finished: 1}},
		Load: []metrics.Load{{
			Execution: "browse", UsersPeak: 99, WarmingUp: true, Scheduled: 7, RequestsStarted: 1, Dropped: [metrics.DropCount]int64{7},
			WarmUp: metrics.LoadPart{Scheduled: 7, RequestsStarted: 1, Dropped: [metrics.DropCount]int64{7}},
		}},
	}
	warm.Rows[0].Response.Record(9e9)
	d.Outcome = reporttest.Outcome()
	intervals := append([]*metrics.Interval{warm}, reporttest.Intervals()...)
	for i, iv := range intervals {
		iv.Second = int64(i)
		for j := range iv.Load {
			iv.Load[j].Second = iv.Second
		}
		d.Add(iv)
	}
	d.Outcome.Snapshot = reporttest.Snapshot(intervals)
	p := newPage(d)
	if x := p.Executions[0]; !p.Warmed || x.Users != "4" || x.Scheduled != "30" || x.Finished != "28" || x.Dropped != "0" || x.Warm != "9" {
		t.Errorf("execution: %+v", x)
	}
	if i := slices.IndexFunc(p.Cards, func(c card) bool { return c.Name == "iterations" }); i < 0 || p.Cards[i].Value != "28" || p.Cards[i].Note != "finished" {
		t.Errorf("cards: %+v", p.Cards)
	}
	if i := slices.IndexFunc(p.Cards, func(c card) bool { return c.Name == "users" }); i < 0 || p.Cards[i].Value != "4" {
		t.Errorf("cards: %+v", p.Cards)
	}
	for _, n := range p.Notices {
		if strings.Contains(n.Text, "dropped") {
			t.Errorf("notice: %+v", n)
		}
	}
	for _, m := range d.Moments.Slowest(99) {
		if m.Label == "slow" {
			t.Errorf("moment: %+v", m)
		}
	}
	var facts []string
	for _, f := range newCounts(report.NewTotals(d.Outcome.Snapshot)) {
		if f.Name == "of it warm-up" {
			facts = append(facts, f.Value)
		}
	}
	want := []string{
		"9 iterations due = 1 started + 8 dropped, 1 finished + 0 interrupted",
		"2 requests started = 2 finished + 0 interrupted, 0 failed; 1 exchanges. No other figure counts them",
	}
	if !slices.Equal(facts, want) {
		t.Errorf("facts: %q", facts)
	}
	text := &strings.Builder{}
	if err := Write(text, d); err != nil || !strings.Contains(text.String(), "Due in the warm-up") {
		t.Errorf("page without its column: %v", err)
	}
}
