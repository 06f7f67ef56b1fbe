package criteria

import (
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
)

// errNoData ends the evaluation of a rule that asks for something that was never seen.
var errNoData = errors.New("no data")

// evaluation is what one evaluation saw.
type evaluation struct {
	totals  *totals
	calls   []seenCall
	missing string
	side    int // of the baseline's spread: -1 its lower end, 1 its upper end, 0 the stored value
}

type seenCall struct {
	call  call
	value float64
}

// call is what functions of the rule do when it is evaluated.
func (a *assertion) call(f function, args []any) (any, error) {
	c := f.bind(args, a.scope)
	if c.scope.label != "" {
		c.scope.kind, _ = a.labels.find(a.scope.execution, c.scope.label)
	}
	value, ok := a.value(c)
	if !ok {
		switch {
		case !c.subject.needsSamples():
			a.run.missing = c.String() + " has no value"
		case c.function.rate && a.run.totals.finished(c.scope) > 0:
			a.run.missing = "the measured time is too short to tell a rate"
		default:
			a.run.missing = a.run.totals.without(c.scope)
		}
		return nil, errNoData
	}
	value = c.result(value)
	a.run.calls = append(a.run.calls, seenCall{c, value})
	return value, nil
}

func (a *assertion) value(c call) (float64, bool) {
	if c.function.baseline {
		if a.run.side != 0 {
			if low, high, ok := spreadOf(a.base, c.subjectName(), c.function.ratio, c.scope.execution, c.scope.label); ok {
				if a.run.side < 0 {
					return low, true
				}
				return high, true
			}
		}
		return a.base.Value(c.subjectName(), c.function.ratio, c.scope.execution, c.scope.label)
	}
	if c.function.rate {
		return a.run.totals.rate(c.scope)
	}
	return a.run.totals.value(c.subject, c.scope)
}

// judge evaluates the rule on totals.
func (a *assertion) judge(r *rule, t *totals) Verdict {
	v := r.open()
	a.run = evaluation{totals: t}
	result, err := expr.Run(a.program, struct{}{})
	run := a.run
	a.run = evaluation{}
	if run.missing != "" {
		return r.noData(run.missing)
	}
	v.Observed = a.observed(run)
	if len(run.calls) > 0 {
		v.ObservedValue = run.calls[0].value
		if run.calls[0].call.function.ratio {
			v.ObservedValue *= 100
		}
	}
	if err != nil {
		v.Result, v.Fails, v.Reason = NotEvaluated, r.criterion.Fail, err.Error()
		return v
	}
	if holds, _ := result.(bool); !holds {
		if a.holdsWithin(t) {
			v.Reason, v.Limit = "within the spread of the baseline's runs", "the spread of the baseline's runs"
			return v
		}
		r.trigger(&v)
	}
	return v
}

// holdsWithin tells whether the rule holds at one end of the baseline's spread: then the difference is no larger than between
// runs of the same build.
func (a *assertion) holdsWithin(t *totals) bool {
	if _, known := a.base.(Spread); !known {
		return false
	}
	for _, side := range []int{-1, 1} {
		a.run = evaluation{totals: t, side: side}
		result, err := expr.Run(a.program, struct{}{})
		a.run = evaluation{}
		if holds, _ := result.(bool); holds && err == nil {
			return true
		}
	}
	return false
}

func (a *assertion) observed(run evaluation) string {
	if a.simple != nil && len(run.calls) == 1 {
		return a.simple.unit.beside(run.calls[0].value, a.simple.limit)
	}
	var parts []string
	for _, c := range run.calls {
		part := c.call.String() + " " + c.call.function.unit().format(c.value, 4)
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}
