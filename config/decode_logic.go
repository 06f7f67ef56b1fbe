package config

import (
	"regexp"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// steps reads a list of requests and blocks.
func (d *decoder) steps(list at, inherited []Header) []Step {
	var out []Step
	for _, item := range list.mappings() {
		if s := d.step(item, inherited); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// step reads one entry of a list of requests; nil for setup and teardown, which belong to the scenario.
func (d *decoder) step(a at, inherited []Header) Step {
	here := At{Pos: a.Pos, Path: a.path}
	block := blockOf(a.Node)
	if block == "" {
		return d.request(a, inherited)
	}
	head := a.get(block)
	do := func(key string) []Step { return d.steps(a.get(key), inherited) }
	switch block {
	case "if":
		return &If{At: here, Condition: d.condition(head), Then: do("then"), Else: do("else")}
	case "once":
		return &Once{At: here, Do: do("once")}
	case "loop":
		return &Loop{At: here, Count: d.loopCount(head), Do: do("do")}
	case "while":
		return &While{At: here, Condition: d.text(head), Do: do("do")}
	case "foreach":
		return d.foreach(here, head, do("do"))
	case "transaction":
		return &Transaction{
			At: here, Label: d.text(head), Do: do("do"),
			ForceParentSample: d.flag(a.get("force-parent-sample")), IncludeTimers: d.flag(a.get("include-timers")).Or(false),
		}
	case "include-scenario":
		return &Include{At: here, Scenario: d.word(head), NamePos: head.pos()}
	case "action":
		return d.action(a, here)
	case "set-variables":
		return &SetVariables{At: here, Variables: d.variables(head)}
	case "setup":
		d.setup = append(d.setup, do("setup")...)
	case "teardown":
		d.teardown = append(d.teardown, do("teardown")...)
	case "parallel":
		return &Parallel{At: here, Branches: do("parallel"), InFlight: d.count(a.get("in-flight"))}
	case "retry":
		return d.retry(head, here, do("do"))
	}
	return nil
}

func (d *decoder) condition(a at) Text {
	text := d.text(a)
	if text.Pos.Known() && isBlank(text.Value) {
		d.diags.Errorf("invalid-value", text.Pos, text.Path, "the condition is empty").WithHint("write a condition such as '\"${code}\" == \"200\"'")
	}
	return text
}

// loopCount checks a number of rounds: a number, forever, or a template.
func (d *decoder) loopCount(a at) Text {
	text := d.text(a)
	if !a.scalar() || isTemplate(text.Value) || text.Value == "forever" {
		return text
	}
	if n, ok := a.Int(); !ok || n < 0 {
		d.diags.Errorf("invalid-value", a.Pos, a.path, "loop must be a number of rounds or forever, got %q", text.Value).
			WithHint("write a number such as 3, or forever")
	}
	return text
}

var foreachForm = regexp.MustCompile(`^\s*(\S+)\s+in\s+(\S+)\s*$`)

func (d *decoder) foreach(here At, head at, do []Step) Step {
	if !head.scalar() {
		return nil
	}
	parts := foreachForm.FindStringSubmatch(head.Text)
	if parts == nil {
		d.diags.Errorf("invalid-value", head.Pos, head.path, "foreach must be \"item in list\", got %q", head.Text).
			WithHint("write the variable for each element, \"in\", and the list variable, such as \"id in ids\"")
		return nil
	}
	return &ForEach{At: here, Item: bare(parts[1]), List: bare(parts[2]), Do: do}
}

// bare takes the name out of ${name}.
func bare(name string) string {
	if inner, ok := strings.CutPrefix(name, "${"); ok {
		return strings.TrimSuffix(inner, "}")
	}
	return name
}

func (d *decoder) action(a at, here At) Step {
	x := &Action{At: here, Action: d.word(a.get("action")), Target: orElse(d.word(a.get("target")), "current-thread"), Pause: d.text(a.get("pause-duration"))}
	if pause := a.get("pause-duration"); pause.scalar() && !isTemplate(pause.Text) {
		d.duration(pause)
	}
	if pause := a.Node.Entry("pause-duration"); pause != nil && contains([]string{"stop", "stop-now", "continue"}, x.Action) {
		d.diags.Warnf("ignored", pause.KeyPos, a.path+".pause-duration", "pause-duration has no effect with \"action: %s\"", x.Action)
	}
	return x
}

// faults are the names of what can go wrong besides a status.
var faults = []string{
	"dns", "connect-refused", "connect-timeout", "tls", "reset", "closed-early", "timeout", "protocol", "too-large", "assertion", "extraction", "status",
}

func (d *decoder) retry(head at, here At, do []Step) Step {
	x := &Retry{At: here, Attempts: d.count(head.get("attempts")).Or(3), Backoff: d.duration(head.get("backoff")).V, Do: do}
	if attempts := head.get("attempts"); attempts.scalar() && x.Attempts == 0 {
		d.diags.Errorf("invalid-value", attempts.Pos, attempts.path, "attempts must be at least 1, got 0")
	}
	for _, on := range d.textList(head.get("on")) {
		value := strings.ToLower(strings.TrimSpace(on.Value))
		if !statusPattern(value) && !contains(faults, value) {
			d.diags.Errorf("invalid-value", on.Pos, on.Path, "%q is neither a status nor a fault", on.Value).
				WithHint("%s", orElse(diag.DidYouMean(value, faults), "write a status such as 503 or 5xx, or one of "+strings.Join(faults, ", ")))
			continue
		}
		x.On = append(x.On, value)
	}
	return x
}
