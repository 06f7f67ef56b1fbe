package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Objective is what must hold for a load to count as held.
type Objective struct {
	Text string
	rule config.Criterion // fails when it does not hold
}

// ParseObjective reads a sentence as criteria have it, or an assert rule; both say what must hold: "p95<250ms",
// "fail of search<1%", "p95("search") <= 250ms && fail_ratio() < 1%".
func ParseObjective(text string) (Objective, error) {
	o := Objective{Text: strings.TrimSpace(text)}
	c, found := config.ParseCriterion(o.Text, diag.Pos{})
	if !found.HasErrors() {
		opposite, ok := map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[c.Condition]
		switch {
		case !ok:
			return o, fmt.Errorf("objective %q: %q never holds for long; write < or >", o.Text, c.Condition)
		case c.Timeframe > 0:
			return o, fmt.Errorf("objective %q: each step is judged as a whole, so leave out %q", o.Text, c.Logic)
		case c.Baseline:
			return o, fmt.Errorf("objective %q: it cannot compare with a baseline", o.Text)
		}
		c.Condition, c.Stop, c.Fail, c.IfNoData = opposite, false, true, "fail"
		o.rule = c
		return o, nil
	}
	if !strings.ContainsAny(o.Text, "(") {
		return o, fmt.Errorf("objective %q: %s", o.Text, found[0].Message)
	}
	o.rule = config.Criterion{Text: o.Text, Assert: o.Text, Fail: true, IfNoData: "fail"}
	if _, found := criteria.Compile([]config.Criterion{o.rule}, criteria.Labels{}, criteria.Options{}); found.HasErrors() {
		for _, d := range found {
			if d.Code != "unknown-label" {
				return o, fmt.Errorf("objective %q: %s", o.Text, d.Message)
			}
		}
	}
	return o, nil
}

// limit says what gives way when the objective does not hold.
func (o *Objective) limit() string {
	for _, word := range []string{"fail", "succ", "rc"} {
		if strings.HasPrefix(o.rule.Subject, word) || o.rule.Assert != "" && strings.Contains(o.rule.Assert, word+"_ratio") && !strings.Contains(o.rule.Assert, "p9") {
			return report.LimitedByErrors
		}
	}
	switch o.rule.Subject {
	case "dropped", "achieved", "hits":
		return report.LimitedByDropped
	}
	return report.LimitedByLatency
}

// judgement is what a step says of the objectives.
type judgement struct {
	held   bool
	first  int      // index of the objective that was broken first; -1 when none was
	broken []string // with what was seen
}

// judge judges the objectives on a run. Which one gave way first is seen by judging after each second what had been measured
// until then: the one that does not recover from the earliest second on was first.
func judge(objectives []Objective, intervals []*metrics.Interval, open, strict bool) (judgement, error) {
	rules := make([]config.Criterion, len(objectives))
	for i := range objectives {
		rules[i] = objectives[i].rule
	}
	j, found := criteria.Compile(rules, seenLabels(intervals, open), criteria.Options{})
	for _, d := range found {
		// A label that was seen at another load may be missing at this one; of the first it is a mistake.
		if d.Code != "unknown-label" || strict {
			return judgement{}, fmt.Errorf("objective: %s", d.Message)
		}
	}
	snapshot := metrics.NewSnapshot()
	since := make([]int64, len(rules)) // second since which a rule has been broken; -1: it holds
	for i := range since {
		since[i] = -1
	}
	for _, iv := range intervals {
		snapshot.Add(iv)
		j.Observe(iv, snapshot)
		for i, v := range j.State() {
			switch {
			case v.Progress < 1:
				since[i] = -1
			case since[i] < 0:
				since[i] = iv.Second
			}
		}
	}
	out := judgement{held: true, first: -1}
	for i, v := range j.End(snapshot, false) {
		if !v.Fails {
			continue
		}
		out.held = false
		seen := v.Observed
		if v.Result == criteria.NotEvaluated {
			seen = v.Reason
		}
		out.broken = append(out.broken, objectives[i].Text+" (saw "+seen+")")
		if out.first < 0 || since[i] >= 0 && (since[out.first] < 0 || since[i] < since[out.first]) {
			out.first = i
		}
	}
	return out, nil
}

// seenLabels are the labels of a run, which objectives may name.
func seenLabels(intervals []*metrics.Interval, open bool) criteria.Labels {
	var labels criteria.Labels
	capped := map[string]bool{}
	for _, iv := range intervals {
		for i := range iv.Load {
			capped[iv.Load[i].Execution] = capped[iv.Load[i].Execution] || iv.Load[i].RequestsPlanned > 0
		}
	}
	for _, iv := range intervals {
		for i := range iv.Rows {
			r := &iv.Rows[i]
			l := criteria.Label{Execution: r.Execution, Name: r.Label, Kind: r.Kind}
			if !slices.Contains(labels.Labels, l) {
				labels.Labels = append(labels.Labels, l)
			}
		}
		for i := range iv.Load {
			x := criteria.Execution{Name: iv.Load[i].Execution, Open: open, Capped: !open && capped[iv.Load[i].Execution]}
			if !slices.Contains(labels.Executions, x) {
				labels.Executions = append(labels.Executions, x)
			}
		}
	}
	return labels
}
