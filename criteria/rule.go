package criteria

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// rule is a compiled criterion with its state.
type rule struct {
	criterion config.Criterion
	scope     scope
	subject   subject
	threshold float64 // in the subject's unit; of a baseline the product
	limit     string  // what passes
	window    *window // nil: cumulative
	reach     reach   // of the window
	assert    *assertion
	broken    string  // why the rule could not be compiled
	peakUsers float64 // concurrency, cumulative: the most seen in any second
	seen      bool    // there was a sample in scope
	triggered bool
	verdict   Verdict
}

// open is the verdict before anything was judged.
func (r *rule) open() Verdict {
	return Verdict{Rule: r.criterion, Text: r.criterion.Text, Result: Passed, Limit: r.limit, Windowed: r.window != nil}
}

// observe folds one second in; wanted says that the plan asked for load in it.
func (r *rule) observe(sec *second, wanted bool) {
	if r.assert != nil || r.broken != "" {
		return
	}
	p, ok := r.point(sec, wanted)
	if !ok {
		return
	}
	if r.subject.kind == concurrency {
		r.peakUsers = max(r.peakUsers, p.value)
	}
	if r.window == nil || r.triggered {
		return
	}
	s := r.window.add(p, r.satisfied)
	r.reach.add(s, r.window, r.criterion.Condition, r.threshold)
	r.verdict.ObservedValue, r.verdict.Observed = s.value, r.subject.unit().beside(s.value, r.threshold)
	r.verdict.Progress = s.progress
	if !s.triggered {
		return
	}
	r.triggered = true
	r.verdict.Since, r.verdict.Held = after(s.since), after(s.held)
	r.trigger(&r.verdict)
}

// point gives the rule's value of a second; false where there is none. After the first traffic in
// scope an empty second is 0 to subjects that count.
func (r *rule) point(sec *second, wanted bool) (point, bool) {
	iv := sec.interval
	p := point{second: iv.Second}
	switch r.subject.kind {
	case dropped:
		l := sec.load(r.scope)
		p.value = float64(l.dropped)
		return p, l.known
	case achieved:
		l := sec.load(r.scope)
		p.part, p.whole = float64(l.started), float64(l.scheduled)
		p.value = ratio(p.part, p.whole)
		return p, l.scheduled > 0 || l.started > 0
	case generator:
		h, ok := judged(iv)
		if h.Limited() {
			p.value = 1
		}
		if r.subject.percent {
			p.value *= 100
		}
		return p, ok
	case processor:
		h, ok := judged(iv)
		p.value = 100 * h.CPUShare
		return p, ok
	case memory:
		h, ok := judged(iv)
		p.value = float64(h.MemoryBytes)
		return p, ok
	case concurrency:
		if l := sec.load(r.scope); l.known && r.scope.label == "" {
			p.value = float64(l.users)
			r.seen = r.seen || sec.row(r.scope) != nil
			return p, wanted || l.users > 0
		}
	}
	value, ok := r.subject.ofRow(sec.row(r.scope))
	if ok {
		r.seen = true
		p.value = value
		return p, true
	}
	return p, r.seen && wanted && r.subject.counts()
}

func (r *rule) satisfied(v float64) bool {
	switch r.criterion.Condition {
	case ">":
		return v > r.threshold
	case ">=":
		return v >= r.threshold
	case "<":
		return v < r.threshold
	case "<=":
		return v <= r.threshold
	}
	return v == r.threshold
}

// judge decides a cumulative rule on totals.
func (r *rule) judge(t *totals) Verdict {
	if r.broken != "" {
		v := r.open()
		v.Result, v.Fails, v.Reason = NotEvaluated, r.criterion.Fail, r.broken
		return v
	}
	if r.assert != nil {
		return r.assert.judge(r, t)
	}
	v := r.open()
	value, ok := t.value(r.subject, r.scope)
	if !ok {
		if r.subject.needsSamples() {
			return r.noData(t.without(r.scope))
		}
		return r.noData(r.where())
	}
	if r.subject.kind == concurrency {
		value = r.peakUsers
	}
	v.ObservedValue, v.Observed = value, r.subject.unit().beside(value, r.threshold)
	if r.satisfied(value) {
		r.trigger(&v)
	}
	return v
}

// pass is the verdict on a window that did not trigger: how far it came, not what the last second was.
func (r *rule) pass() {
	v := &r.verdict
	v.Result, v.Since, v.Held = Passed, 0, 0
	if r.reach.any {
		v.ObservedValue, v.Observed = r.reach.worst, r.reach.text(r.window, r.subject.unit(), r.criterion.Condition, r.threshold)
	}
}

// trigger gives a verdict its result.
func (r *rule) trigger(v *Verdict) {
	v.Result, v.Fails = Noticed, false
	if r.criterion.Fail {
		v.Result, v.Fails = Failed, true
	}
}

// noData is the verdict on a rule whose label or data never appeared: it counts against the run
// unless the rule says otherwise or only warns anyway.
func (r *rule) noData(where string) Verdict {
	v := r.open()
	v.Result, v.Reason = NotEvaluated, "no data: "+where
	v.Fails = r.criterion.Fail && r.criterion.IfNoData != "pass"
	return v
}

// where says what there was no data of, where that is not a sample.
func (r *rule) where() string {
	switch r.subject.kind {
	case achieved:
		return "neither an iteration nor a request was planned"
	case dropped:
		return "no iteration was scheduled"
	case generator, processor, memory:
		return "the generator's state was not recorded in the measured time"
	}
	return "there is nothing to look at"
}

func noSample(sc scope) string {
	text := "no request finished"
	if sc.label != "" {
		text = fmt.Sprintf("no sample of %q finished", sc.label)
	}
	if sc.execution != "" {
		text += fmt.Sprintf(" in execution %q", sc.execution)
	}
	return text + " in the measured time"
}

// passing turns the condition under which a sentence fails into the limit that passes.
func passing(condition, limit string) string {
	inverse := map[string]string{">": "<=", ">=": "<", "<": ">=", "<=": ">"}[condition]
	if inverse == "" {
		inverse = "!="
	}
	return strings.TrimSpace(inverse + " " + limit)
}
