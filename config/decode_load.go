package config

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// load reads the shape of an execution's load and judges what the keys mean together (Taurus b.3).
func (d *decoder) load(a at, executor string) LoadShape {
	l := LoadShape{
		Concurrency: d.count(a.get("concurrency")), RampUp: d.duration(a.get("ramp-up")), HoldFor: d.duration(a.get("hold-for")),
		Iterations: d.count(a.get("iterations")), TotalIterations: d.count(a.get("total-iterations")), Steps: d.count(a.get("steps")),
		Throughput: d.rate(a.get("throughput")), SpawnRate: d.rate(a.get("spawn-rate")), ArrivalRate: d.rate(a.get("arrival-rate")),
		MaxConcurrency: d.count(a.get("max-concurrency")), MaxWait: d.duration(a.get("max-wait")),
		WarmUp: d.duration(a.get("warm-up")), GracefulStop: d.duration(a.get("graceful-stop")),
		ExpectedInterval: d.duration(a.get("expected-interval")), Stages: d.stages(a.get("stages")),
	}
	if distribution := a.get("distribution"); distribution.scalar() {
		l.Distribution = Value[string]{V: distribution.Text, Set: true, Pos: distribution.Pos}
	}
	for _, n := range []*Value[int]{&l.Iterations, &l.TotalIterations, &l.Steps, &l.MaxConcurrency} {
		n.Set = n.Set && n.V > 0 // 0 means, as for Taurus, that there is none
	}
	l.Throughput.Set = l.Throughput.Set && l.Throughput.V > 0
	before := len(d.diags)
	d.exclusive(a, &l)
	if len(d.diags) == before || !d.diags[before:].HasErrors() {
		d.remarks(a, &l, executor)
	}
	return l
}

func (d *decoder) stages(a at) []Stage {
	var out []Stage
	for _, item := range a.mappings() {
		s := Stage{
			Duration: d.duration(item.get("duration")).V, Concurrency: d.count(item.get("concurrency")),
			ArrivalRate: d.rate(item.get("arrival-rate")), Pos: item.Pos,
		}
		users, rate := item.get("concurrency").Node != nil, item.get("arrival-rate").Node != nil
		switch {
		case users == rate:
			d.diags.Errorf("conflict", item.Pos, item.path, "a stage needs either concurrency or arrival-rate").
				WithHint("write {duration: 30s, concurrency: 10} or {duration: 30s, arrival-rate: 50/s}")
			continue
		case len(out) > 0 && out[0].ArrivalRate.Set != s.ArrivalRate.Set && (s.ArrivalRate.Set || s.Concurrency.Set):
			d.diags.Errorf("conflict", item.Pos, item.path, "stages cannot mix concurrency and arrival-rate").
				WithHint("use the same key in every stage, or a second execution").
				WithNote(out[0].Pos, "the first stage")
			continue
		}
		out = append(out, s)
	}
	return out
}

// exclusive reports keys that contradict each other.
func (d *decoder) exclusive(a at, l *LoadShape) {
	conflict := func(key, other, hint string) {
		e, o := a.Node.Entry(key), a.Node.Entry(other)
		if e == nil || o == nil || e.Value.Kind == Null || o.Value.Kind == Null {
			return
		}
		d.diags.Errorf("conflict", e.KeyPos, a.path+"."+key, "%q cannot stand beside %q", key, other).
			WithHint("%s", hint).WithNote(o.KeyPos, "%s is here", other)
	}
	for key, rate := range map[string]Value[float64]{"spawn-rate": l.SpawnRate, "arrival-rate": l.ArrivalRate} {
		if rate.Set && rate.V == 0 {
			d.diags.Errorf("invalid-value", rate.Pos, a.path+"."+key, "%s must be greater than 0", key).
				WithHint("write a rate such as 5/s, or remove %q", key)
		}
	}
	conflict("spawn-rate", "ramp-up", "both say how fast users start: keep one of them")
	open := l.ArrivalRate.Set || len(l.Stages) > 0 && l.Stages[0].ArrivalRate.Set
	for _, key := range []string{"concurrency", "ramp-up", "hold-for", "steps", "arrival-rate", "spawn-rate"} {
		if key == "concurrency" && open {
			continue // users that are there from the start
		}
		conflict(key, "stages", "stages say the whole load: remove "+key+", or make a stage of it")
	}
	conflict("iterations", "total-iterations", "iterations is per virtual user, total-iterations is for all of them: keep one")
	if e := a.Node.Entry("stages"); len(l.Stages) > 0 && !slices.ContainsFunc(l.Stages, func(s Stage) bool { return s.Concurrency.V > 0 || s.ArrivalRate.V > 0 }) {
		d.diags.Errorf("empty-load", e.KeyPos, a.path+".stages", "no stage asks for any load").WithHint("give at least one stage a level above 0")
	}
	if !open {
		return
	}
	conflict("spawn-rate", "arrival-rate", "users start as arrivals need them: remove spawn-rate")
	conflict("throughput", "arrival-rate", "arrival-rate sets the rate of iterations: remove throughput")
	conflict("throughput", "stages", "stages of arrivals set the rate of iterations: remove throughput")
	if e := a.Node.Entry("iterations"); e != nil && l.Iterations.V > 0 {
		d.diags.Errorf("conflict", e.KeyPos, a.path+".iterations", "iterations is per virtual user and has no meaning with an arrival rate").
			WithHint("write total-iterations instead")
	}
	if l.ArrivalRate.Set && len(l.Stages) == 0 && l.RampUp.V+l.HoldFor.V == 0 && l.TotalIterations.V == 0 {
		d.diags.Errorf("endless", l.ArrivalRate.Pos, a.path+".arrival-rate", "nothing ends this execution").
			WithHint("add hold-for, such as \"hold-for: 1m\", or total-iterations")
	}
}

// remarks warns where keys mean something else than people think, and sets what Taurus would set.
func (d *decoder) remarks(a at, l *LoadShape, executor string) {
	warn := func(key, format string, args ...any) *diag.Diagnostic {
		e := a.Node.Entry(key)
		return d.diags.Warnf("load", e.KeyPos, a.path+"."+key, format, args...)
	}
	duration := l.RampUp.V + l.HoldFor.V
	for _, stage := range l.Stages {
		duration += stage.Duration
	}
	bounded := l.Iterations.V > 0 || l.TotalIterations.V > 0
	staged := len(l.Stages) > 0
	open := l.ArrivalRate.Set || staged && l.Stages[0].ArrivalRate.Set
	if l.Concurrency.Set && l.Concurrency.V == 0 && !open {
		warn("concurrency", "concurrency 0 is raised to 1")
		l.Concurrency.V = 1
	}
	if open && l.MaxConcurrency.Set && l.Concurrency.V > l.MaxConcurrency.V {
		warn("concurrency", "max-concurrency (%d) allows fewer users than concurrency has begin with the load (%d)", l.MaxConcurrency.V, l.Concurrency.V)
	}
	if l.Steps.V > 0 && l.RampUp.V == 0 {
		warn("steps", "steps has no effect without ramp-up").WithHint("add the time in which the steps are climbed, such as \"ramp-up: 1m\"")
	}
	if !open {
		for _, key := range []string{"max-concurrency", "max-wait", "distribution"} {
			if a.get(key).Node != nil {
				warn(key, "%s has no effect without arrival-rate", key)
			}
		}
		d.closedRemarks(a, l, warn, duration > 0, bounded)
	}
	if executor == "locust" && l.Iterations.V > 0 {
		l.TotalRequests = Value[int]{V: l.Iterations.V * max(1, l.Concurrency.V), Set: true, Pos: l.Iterations.Pos}
		warn("iterations", "for locust, iterations bounds requests: the run ends after %d requests of all users together", l.TotalRequests.V).
			WithHint("remove \"executor: locust\" to do %d iterations per user", l.Iterations.V)
	}
	if l.WarmUp.V > 0 && duration > 0 && l.WarmUp.V >= duration {
		d.diags.Errorf("conflict", l.WarmUp.Pos, a.path+".warm-up", "warm-up (%s) leaves nothing of the run (%s) to measure",
			FormatDuration(l.WarmUp.V), FormatDuration(duration)).WithHint("make hold-for longer, or warm-up shorter")
	}
}

func (d *decoder) closedRemarks(a at, l *LoadShape, warn func(string, string, ...any) *diag.Diagnostic, timed, bounded bool) {
	// A 0 was read, and counts as not set.
	for key, read := range map[string]bool{
		"hold-for": l.HoldFor.Set, "ramp-up": l.RampUp.Set, "iterations": l.Iterations.Pos.Known(), "total-iterations": l.TotalIterations.Pos.Known(),
	} {
		if n := a.get(key).Node; n != nil && n.Kind != Null && n.Text != "" && !read {
			return // it is there, and could not be read
		}
	}
	zero := ""
	for key, given := range map[string]Value[int]{"iterations": l.Iterations, "total-iterations": l.TotalIterations} {
		if given.Pos.Known() && given.V == 0 {
			zero = key
		}
	}
	switch {
	case !timed && !bounded && zero != "":
		warn(zero, "%s: 0 is as if it were not there: without hold-for each user does one iteration", zero).
			WithHint("add \"hold-for\", such as \"hold-for: 1m\", to go on without a number of iterations")
	case l.RampUp.V > 0 && l.HoldFor.V == 0 && !bounded && len(l.Stages) == 0:
		warn("ramp-up", "the run ends as soon as ramp-up has reached its target").WithHint("add \"hold-for\" to stay there")
	case !timed && !bounded && l.Throughput.Set:
		warn("throughput", "without hold-for or iterations each user does one iteration only").WithHint("add \"hold-for\", such as \"hold-for: 1m\"")
	case !timed && !bounded && l.Concurrency.V > 1:
		warn("concurrency", "without hold-for or iterations each of the %d users does one iteration only", l.Concurrency.V).
			WithHint("add \"hold-for\", such as \"hold-for: 1m\", or \"iterations\"")
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// statusPattern reports whether s is a status code or a pattern such as 2xx or 5??.
func statusPattern(s string) bool {
	return len(s) == 3 && s[0] >= '1' && s[0] <= '5' && strings.Trim(s[1:], "0123456789xX?*") == ""
}
