package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// executions reads the list of executions.
func (d *decoder) executions() {
	list := d.root("execution")
	if list.Node != nil && list.Kind == Sequence && len(list.Items) == 0 {
		d.diags.Errorf("missing-key", list.Pos, "execution", "no execution is configured").
			WithHint("write \"execution: [{scenario: NAME, concurrency: 10, hold-for: 30s}]\"")
	}
	taken := map[string]bool{}
	for _, item := range list.mappings() {
		x := d.execution(item)
		if x.Scenario == "" {
			continue
		}
		x.Name = x.Scenario
		for i := 2; taken[x.Name]; i++ {
			x.Name = fmt.Sprintf("%s-%d", x.Scenario, i)
		}
		taken[x.Name] = true
		d.file.Executions = append(d.file.Executions, x)
	}
}

func sscanIndex(path string, index *int) (int, error) { return fmt.Sscanf(path, "execution.%d", index) }

func (d *decoder) execution(a at) Execution {
	x := Execution{Pos: a.Pos, Path: a.path}
	scenario := d.executionScenario(a)
	d.properties = d.file.Settings.Properties
	if scenario != nil {
		x.Scenario = scenario.Name
		d.properties = merged(d.file.Settings.Properties, scenario.Properties)
	}
	x.Executor = d.executor(a, scenario)
	x.Load = d.load(a, x.Executor)
	x.Delay = d.duration(a.get("delay")).V
	x.StartAt = d.startAt(a.get("start-at"))
	var inherited []Header
	if scenario != nil {
		inherited = scenario.Defaults.Headers
	}
	x.Prepare = d.executionSteps(a.get("prepare"), inherited)
	x.Finish = d.executionSteps(a.get("finish"), inherited)
	return x
}

// executionSteps reads what is sent once, around the users, so that setup and teardown of a user
// have no place in it.
func (d *decoder) executionSteps(a at, inherited []Header) []Step {
	for _, item := range a.mappings() {
		if block := blockOf(item.Node); block == "setup" || block == "teardown" {
			d.diags.Errorf("misplaced", item.Node.Entry(block).KeyPos, item.path, "a %s block has no place in %s", block, lastName(a.path)).
				WithHint("list its requests here directly, or move it to the scenario, where each user does them")
		}
	}
	return d.steps(a, inherited)
}

func merged(under, over map[string]string) map[string]string {
	out := make(map[string]string, len(under)+len(over))
	for k, v := range under {
		out[k] = v
	}
	for k, v := range over {
		out[k] = v
	}
	return out
}

// executionScenario finds the scenario that an execution names, and that it is made of requests.
func (d *decoder) executionScenario(a at) *Scenario {
	name := a.get("scenario")
	if !name.scalar() {
		return nil
	}
	s := d.file.Scenario(name.Text)
	if s == nil {
		d.unknownScenario(name)
		return nil
	}
	d.runnable(s, name)
	return s
}

func (d *decoder) unknownScenario(name at) {
	if found, _ := d.find(name.Text, name.Pos); found != "" || contains(scriptExtensions, strings.ToLower(filepath.Ext(name.Text))) {
		d.scriptError(name, false)
		return
	}
	var known []string
	for _, s := range d.file.Scenarios {
		known = append(known, s.Name)
	}
	e := d.diags.Errorf("unknown-scenario", name.Pos, name.path, "unknown scenario %q", name.Text)
	e.Length = len([]rune(name.Text))
	switch hint := diag.DidYouMean(name.Text, known); {
	case hint != "":
		e.WithHint("%s", hint)
	case len(known) == 0:
		e.WithHint("describe it under \"scenarios\"")
	default:
		e.WithHint("known scenarios: %s", strings.Join(known, ", "))
	}
}

var scriptExtensions = []string{".jmx", ".py", ".scala", ".js", ".java", ".jar", ".yml", ".yaml", ".robot", ".side"}

// scriptError says why a script of another tool does not run, and what to do; runs tells that the
// scenario would run without it.
func (d *decoder) scriptError(script at, runs bool) {
	e := d.diags.Errorf("script", script.Pos, script.path, "script %q is written for another tool and cannot run natively", script.Text)
	e.Length = len([]rune(script.Text))
	if runs {
		e.WithHint("remove \"script\" to run the requests that stand beside it")
		return
	}
	switch strings.ToLower(filepath.Ext(script.Text)) {
	case ".jmx":
		e.WithHint("write its samplers as \"requests\" of the scenario; Taurus' jmx2yaml %s makes a start", filepath.Base(script.Text))
	case ".py":
		e.WithHint("write its calls as \"requests\" of the scenario; weighted Locust tasks become \"tasks\" with \"weight\"")
	default:
		e.WithHint("write what it sends as \"requests\" of the scenario")
	}
}

// runnable reports a scenario that is used and has nothing to send.
func (d *decoder) runnable(s *Scenario, user at) {
	n := d.doc.Get("scenarios").Get(s.Name)
	a := at{n, s.Path}
	if script := a.get("script"); script.scalar() {
		d.scriptError(script, len(s.Requests) > 0)
		return
	}
	if len(s.Requests) > 0 || len(s.Tasks) > 0 || d.schemaComplains(s.Path) {
		return
	}
	if stray := d.doc.At("execution", "0", "requests"); stray != nil && len(d.doc.Get("scenarios").Entries) == 1 {
		return // requests stand in the execution, which is already said
	}
	e := d.diags.Errorf("no-requests", s.Pos, s.Path, "scenario %q has no requests", s.Name)
	e.WithHint("add \"requests: [URL, …]\" to it")
	if user.Pos != s.Pos {
		e.WithNote(user.Pos, "it is used here")
	}
}

// schemaComplains reports whether the list of requests of a scenario is itself wrong.
func (d *decoder) schemaComplains(path string) bool {
	return slices.ContainsFunc(d.loader.diags, func(e diag.Diagnostic) bool {
		return e.Severity == diag.Error && (strings.HasPrefix(e.Path, path+".requests") || strings.HasPrefix(e.Path, path+".tasks") || e.Path == path ||
			e.Code == "unknown-key" && strings.HasPrefix(e.Path, path+"."))
	})
}

var startLayouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "15:04:05", "15:04"}

// startAt reads a time of day or a date and time, local. A date in the past is moved to today, as
// Taurus does; a time that has passed starts at once.
func (d *decoder) startAt(a at) time.Time {
	if !a.scalar() {
		return time.Time{}
	}
	now := d.opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	text := strings.Replace(strings.TrimSpace(a.Text), "T", " ", 1)
	for _, layout := range startLayouts {
		t, err := time.ParseInLocation(layout, text, now.Location())
		if err != nil {
			continue
		}
		if t.Before(now) {
			t = time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		}
		if t.Before(now) {
			d.diags.Warnf("start-at", a.Pos, a.path, "%s has passed: the execution starts at once", a.Text)
			return time.Time{}
		}
		return t
	}
	d.diags.Errorf("invalid-value", a.Pos, a.path, "%q is not a time to start at", a.Text).
		WithHint("write \"HH:MM\", \"HH:MM:SS\" or \"YYYY-MM-DD HH:MM:SS\", in quotes")
	return time.Time{}
}
