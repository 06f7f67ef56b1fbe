package criteria

import (
	"strconv"
	"strings"
)

// function is a name that assert rules may call.
type function struct {
	name     string
	baseline bool    // of the stored run
	subject  subject // without the code pattern, and for p without the level
	ratio    bool    // the result is a share, 0…1
	rate     bool    // samples per second of the measured time
	leading  leading // argument before the label
	label    bool    // takes a label, which may be left out
}

// leading is the kind of an argument that stands before the label.
type leading uint8

const (
	leadingNone  leading = iota
	leadingLevel         // a number, 0…100
	leadingCode          // a pattern of codes
)

// functions lists what assert rules may call, besides p50, p95, p99.9 and so on.
func functions() []function {
	return []function{
		{name: "avg", subject: subject{kind: avgRT}, label: true},
		{name: "stdev", subject: subject{kind: stdevRT}, label: true},
		{name: "latency", subject: subject{kind: avgLT}, label: true},
		{name: "connect", subject: subject{kind: avgCT}, label: true},
		{name: "p", subject: subject{kind: percentile}, leading: leadingLevel, label: true},
		{name: "hits", subject: subject{kind: hits}, label: true},
		{name: "rate", subject: subject{kind: hits}, rate: true, label: true},
		{name: "succ", subject: subject{kind: succ}, label: true},
		{name: "fail", subject: subject{kind: fail}, label: true},
		{name: "succ_ratio", subject: subject{kind: succ, percent: true}, ratio: true, label: true},
		{name: "fail_ratio", subject: subject{kind: fail, percent: true}, ratio: true, label: true},
		{name: "rc", subject: subject{kind: code}, leading: leadingCode, label: true},
		{name: "rc_ratio", subject: subject{kind: code, percent: true}, ratio: true, leading: leadingCode, label: true},
		{name: "bytes", subject: subject{kind: bytes}, label: true},
		{name: "concurrency", subject: subject{kind: concurrency}, label: true},
		{name: "dropped", subject: subject{kind: dropped}},
		{name: "achieved", subject: subject{kind: achieved, percent: true}, ratio: true},
		{name: "generator", subject: subject{kind: generator, percent: true}, ratio: true},
	}
}

// functionNames lists the names for suggestions.
func functionNames() []string {
	names := []string{"p50", "p90", "p95", "p99"}
	for _, f := range functions() {
		names = append(names, f.name)
	}
	return names
}

// lookup finds a function by the name that it has after rewriting.
func lookup(name string) (function, bool) {
	plain, isBaseline := strings.CutPrefix(name, "baseline_")
	for _, f := range functions() {
		if f.name == plain {
			f.baseline = isBaseline
			return f, true
		}
	}
	whole, fraction, _ := strings.Cut(plain, "_")
	if !isLevel(whole) || strings.Trim(fraction, "0123456789") != "" {
		return function{}, false
	}
	level, err := strconv.ParseFloat(strings.TrimSuffix(whole[1:]+"."+fraction, "."), 64)
	if err != nil || level > 100 {
		return function{}, false
	}
	return function{
		name: "p" + strconv.FormatFloat(level, 'f', -1, 64), baseline: isBaseline,
		subject: subject{kind: percentile, level: level}, label: true,
	}, true
}

// unit is what the function's result is shown in.
func (f function) unit() unit {
	switch {
	case f.rate:
		return unitRate
	case f.ratio:
		return unitShare
	}
	return f.subject.unit()
}

// types are the signatures for expr: each combination of arguments is one.
func (f function) types() []any {
	switch {
	case f.leading == leadingLevel:
		return []any{new(func(float64) float64), new(func(float64, string) float64)}
	case f.leading == leadingCode:
		return []any{new(func(string) float64), new(func(string, string) float64)}
	case f.label:
		return []any{new(func() float64), new(func(string) float64)}
	}
	return []any{new(func() float64)}
}

// call is one use of a function in a rule.
type call struct {
	function function
	subject  subject // complete
	scope    scope
}

// bind completes a function with its arguments.
func (f function) bind(args []any, sc scope) call {
	c := call{function: f, subject: f.subject, scope: sc}
	switch f.leading {
	case leadingLevel:
		c.subject.level, _ = toFloat(args[0])
		args = args[1:]
	case leadingCode:
		text, _ := args[0].(string)
		c.subject.codes = parseCodePattern(text)
		args = args[1:]
	}
	if len(args) > 0 {
		c.scope.label, _ = args[0].(string)
	}
	return c
}

// String shows a call as it is written in a rule.
func (c call) String() string {
	var args []string
	switch c.function.leading {
	case leadingLevel:
		args = append(args, strconv.FormatFloat(c.subject.level, 'f', -1, 64))
	case leadingCode:
		args = append(args, quote(string(c.subject.codes)))
	}
	if c.scope.label != "" {
		args = append(args, quote(c.scope.label))
	}
	prefix := ""
	if c.function.baseline {
		prefix = "baseline."
	}
	return prefix + c.function.name + "(" + strings.Join(args, ", ") + ")"
}

// subjectName is the name that sentences use, which is what a [Baseline] is asked for.
func (c call) subjectName() string {
	switch c.subject.kind {
	case avgRT:
		return "avg-rt"
	case avgLT:
		return "avg-lt"
	case avgCT:
		return "avg-ct"
	case stdevRT:
		return "stdev-rt"
	case percentile:
		return "p" + strconv.FormatFloat(c.subject.level, 'f', -1, 64)
	case code:
		return "rc" + string(c.subject.codes)
	}
	if c.function.rate {
		return "rate"
	}
	return strings.TrimSuffix(c.function.name, "_ratio")
}

// result turns a value of the subject into what the function returns.
func (c call) result(value float64) float64 {
	if c.function.ratio {
		return value / 100
	}
	return value
}

func toFloat(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}
