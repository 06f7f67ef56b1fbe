package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// fault is one kind of failure of one label.
type fault struct {
	Label, Fault, Count, Share string
	Texts                      []example
	n                          int64
}

type example struct{ Count, Code, Text string }

const (
	maxFaults    = 120
	maxExamples  = 3
	maxEvents    = 200
	maxMarks     = 60
	shownMoments = 10
)

// newFaults lists failures by label and kind, the most frequent first.
func newFaults(t *report.Totals) ([]fault, string) {
	var list []fault
	for _, row := range t.Labels {
		if row.Kind == metrics.IterationKind {
			continue // what failed inside it is listed under its own label
		}
		for i, n := range row.Faults {
			f := metrics.Fault(i)
			if n == 0 || f == metrics.NoFault {
				continue
			}
			list = append(list, fault{
				Label: labelName(row), Fault: f.String(), Count: report.Thousands(n), Share: report.Share(n, row.Finished), n: n,
				Texts: examples(t, row.Label, f),
			})
		}
	}
	slices.SortStableFunc(list, func(a, b fault) int { return cmp.Compare(b.n, a.n) })
	if len(list) <= maxFaults {
		return list, ""
	}
	return list[:maxFaults], fmt.Sprintf("The %d most frequent of %d; all of them are in summary.json.", maxFaults, len(list))
}

func examples(t *report.Totals, label string, f metrics.Fault) []example {
	var list []example
	for _, e := range t.Errors {
		if e.Label != label || e.Fault != f || e.WarmUp {
			continue
		}
		x := example{Count: report.Thousands(e.Count), Text: report.Clean(e.Text)}
		if e.Code != 0 {
			x.Code = strconv.Itoa(e.Code)
		}
		if list = append(list, x); len(list) == maxExamples {
			break
		}
	}
	return list
}

// event is a mark on the time line.
type event struct {
	At, Kind, Text string
	at             time.Duration
}

// newEvents lists what happened, and the windows of criteria that had triggered where no event
// tells of them.
func newEvents(o *report.Outcome) ([]event, string) {
	var list []event
	told := false
	for _, e := range o.Snapshot.Events() {
		told = told || e.Kind == "criterion"
		list = append(list, newEvent(time.Duration(e.At), e.Kind, e.Text))
	}
	for _, v := range o.Verdicts {
		if !told && v.Windowed && (v.Result == criteria.Failed || v.Result == criteria.Noticed) {
			list = append(list, newEvent(v.Since, "criterion", v.Text))
		}
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	if len(list) <= maxEvents {
		return list, ""
	}
	return list[:maxEvents], fmt.Sprintf("The first %d of %d.", maxEvents, len(list))
}

func newEvent(at time.Duration, kind, text string) event {
	return event{At: report.Clock(at), Kind: report.Clean(kind), Text: report.Clean(text), at: at}
}

// moment is a line of the slowest moments.
type moment struct{ When, P99, Max, Label, Finished, Failed, Users, Beside string }

func newMoments(slowest []Moment, events []event) []moment {
	var list []moment
	for _, m := range slowest {
		line := moment{
			When: report.Clock(time.Duration(m.First) * time.Second), P99: report.Nanoseconds(m.P99), Max: report.Nanoseconds(float64(m.Max)),
			Label: report.Clean(m.Label), Finished: report.Thousands(m.Finished), Failed: report.Thousands(m.Failed), Users: report.Thousands(m.Users),
		}
		if m.Last > m.First {
			line.When += "–" + report.Clock(time.Duration(m.Last)*time.Second)
		}
		var beside []string
		if m.Generator {
			beside = append(beside, "the generator was at its own limits here")
		}
		for _, e := range events {
			if second := int64(e.at / time.Second); second >= m.First-1 && second <= m.Last && len(beside) < 3 {
				beside = append(beside, e.Kind+": "+e.Text)
			}
		}
		line.Beside = strings.Join(beside, "; ")
		list = append(list, line)
	}
	return list
}
