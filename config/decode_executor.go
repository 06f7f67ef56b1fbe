package config

import (
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Executors of Taurus by what becomes of them here.
var (
	runsAsIs   = []string{"jmeter", "apiritif", "stacrun"}
	runsNearly = []string{"locust", "gatling", "k6", "ab", "siege", "tsung", "molotov", "vegeta"}
	runsNot    = map[string]string{
		"selenium": "it drives a browser", "playwright": "it drives a browser",
		"junit": "it runs Java tests", "testng": "it runs Java tests",
		"pytest": "it runs Python tests", "nose": "it runs Python tests", "robot": "it runs Robot Framework tests",
		"mocha": "it runs JavaScript tests", "wdio": "it runs JavaScript tests", "newman": "it runs Postman collections",
		"nunit": "it runs .NET tests", "xunit": "it runs .NET tests", "rspec": "it runs Ruby tests", "phpunit": "it runs PHP tests",
		"pbench": "it is another load generator", "grinder": "it runs Jython scripts",
		"external-results-loader": "it reads the results of another tool",
	}
)

// executor checks that an execution can run natively and returns the executor as it was written.
func (d *decoder) executor(a at, scenario *Scenario) string {
	written := a.get("executor")
	if !written.scalar() {
		written = at{nil, ""}
		if fallback := d.root("settings").get("default-executor"); fallback.scalar() {
			written = fallback
		}
	}
	if written.Node == nil {
		return ""
	}
	name := written.Text
	scripted := scenario != nil && d.doc.Get("scenarios").Get(scenario.Name).Get("script") != nil
	switch {
	case contains(runsAsIs, name):
		if name == "jmeter" && scenario != nil && !scripted {
			d.embeddedResources(written, scenario)
			d.scenarioChecks(written, scenario)
		}
	case contains(runsNearly, name):
		if !scripted {
			d.diags.Warnf("executor", written.Pos, written.path, "the requests run natively, with the meaning they have for JMeter, not by %s", name).
				WithHint("remove %q to say that this is meant", lastPart(written.path))
		}
	case runsNot[name] != "":
		d.diags.Errorf("executor", written.Pos, written.path, "executor %q cannot run natively: %s", name, runsNot[name]).
			WithHint("write the HTTP requests it makes as \"requests\" of the scenario and remove \"executor\", or keep Taurus for this execution")
	default:
		d.unknownExecutor(written)
	}
	return name
}

// embeddedResources warns once per scenario that pages come without what they embed, where a file
// asks for JMeter, which fetches it unless it is told not to.
func (d *decoder) embeddedResources(written at, scenario *Scenario) {
	if scenario.Defaults.RetrieveResources.Set || d.warnedResources[scenario.Name] {
		return
	}
	d.warnedResources[scenario.Name] = true
	d.diags.Warnf("retrieve-resources", written.Pos, written.path, "images, scripts and styles of pages are not fetched, as JMeter would do by default").
		WithHint("write \"retrieve-resources: false\" in scenario %q to say that this is meant, or true to fetch them", scenario.Name)
}

// scenarioChecks warns once per scenario that its assertions and extractors count, where a file asks for JMeter: Taurus' builder
// of JMeter's tests leaves them out.
func (d *decoder) scenarioChecks(written at, scenario *Scenario) {
	at := At{}
	switch {
	case d.warnedChecks[scenario.Name]:
	case len(scenario.Asserts) > 0:
		at = scenario.Asserts[0].At
	case len(scenario.Extractors) > 0:
		at = scenario.Extractors[0].At
	}
	if !at.Pos.Known() {
		return
	}
	d.warnedChecks[scenario.Name] = true
	d.diags.Warnf("scenario-checks", at.Pos, at.Path, "assertions and extractors of a scenario hold for each of its requests; Taurus with %s leaves them out", written.Text).
		WithHint("remove %q to say that this is meant, or write them at the requests that they are for", lastPart(written.path))
}

func (d *decoder) unknownExecutor(written at) {
	name := written.Text
	if class := pythonClass(d.doc, name); class != nil {
		d.diags.Errorf("executor", written.Pos, written.path, "executor %q is a Python class of Taurus and cannot run natively", name).
			WithHint("write what it sends as \"requests\" of the scenario and remove \"executor\"").
			WithNote(class.Pos, "the class is named here")
		return
	}
	known := append(append([]string{}, runsAsIs...), runsNearly...)
	for other := range runsNot {
		known = append(known, other)
	}
	e := d.diags.Errorf("unknown-executor", written.Pos, written.path, "unknown executor %q", name)
	e.Length = len([]rune(name))
	e.WithHint("%s", orElse(diag.DidYouMean(name, sorted(known)), "remove \"executor\": requests run natively; known to Taurus files: "+strings.Join(runsAsIs[:2], ", ")))
}
