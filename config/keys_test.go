package config

import (
	"strings"
	"testing"
)

func TestExplainKey(t *testing.T) {
	for _, tt := range []struct {
		path, want, description, value, fallback string
		required                                 bool
	}{
		{"execution.hold-for", "execution.hold-for", "Time at the target", "a duration such as 30s", "0", false},
		{"execution.0.concurrency", "execution.concurrency", "Virtual users", "a whole number", "1", false},
		{"execution.scenario", "execution.scenario", "Scenario to run", "the name of a scenario", "", true},
		{"scenarios.think-time", "scenarios.NAME.think-time", "", "a time such as 1s, or uniform(2s, 500ms)", "", false},
		{"scenarios.s.requests.url", "scenarios.s.requests.url", "Address", "text", "", true},
		{"scenarios.requests.0.assert.contains", "scenarios.NAME.requests.assert.contains", "Texts or regular expressions", "text or a list of texts", "", true},
		{"scenarios.s.requests.extract-jsonpath.id.match-no", "scenarios.s.requests.extract-jsonpath.id.match-no", "", "", "", false},
		{"reporting.junit-xml.filename", "reporting.junit-xml.filename", "", "text", "xunit.xml", false},
		{"services.shellexec.prepare.command", "services.shellexec.prepare.command", "Command line", "text", "", true},
		{"reporting.passfail.criteria.threshold", "reporting.passfail.criteria.threshold", "Limit", "text", "", false},
		{"modules.local.capacity", "modules.local.capacity", "", "a whole number", "", false},
	} {
		t.Run(tt.path, func(t *testing.T) {
			found, hint := ExplainKey(tt.path)
			if len(found) != 1 {
				t.Fatalf("%d found, hint %q", len(found), hint)
			}
			key := found[0]
			if key.Path != tt.want || !strings.HasPrefix(key.Description, tt.description) || key.Description == "" || tt.value != "" && key.Value != tt.value ||
				tt.fallback != "" && key.Default != tt.fallback || key.Required != tt.required {
				t.Errorf("got %+v", key)
			}
		})
	}
}

func TestExplainKey_byWordAlone(t *testing.T) {
	found, _ := ExplainKey("timeout")
	var paths []string
	for _, key := range found {
		paths = append(paths, key.Path)
	}
	if got := strings.Join(paths, " "); !strings.HasPrefix(got, "scenarios.NAME.timeout scenarios.NAME.requests.timeout") {
		t.Errorf("got %s", got)
	}
}

func TestExplainKey_unknown(t *testing.T) {
	for path, want := range map[string]string{
		"execution.hold_for":        `did you mean "execution.hold-for"?`,
		"scenarios.s.requests.ulr":  `did you mean "scenarios.s.requests.url"?`,
		"hold-fr":                   `did you mean "hold-for"?`,
		"executon.hold-for":         `did you mean "execution"?`,
		"execution.hold-for.second": `"execution.hold-for" has no such key`,
	} {
		if found, hint := ExplainKey(path); len(found) != 0 || hint != want {
			t.Errorf("%s: %d found, hint %q, want %q", path, len(found), hint, want)
		}
	}
}

// TestEveryKeyIsExplained wants words for every key of every block.
func TestEveryKeyIsExplained(t *testing.T) {
	schema, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	k := keyFinder{schema: schema}
	for _, path := range append(blockPaths(), "") {
		block, ok := k.explain(splitPath(path))
		if !ok || len(block.Keys) == 0 {
			t.Errorf("%q is not found or has no keys", path)
		}
		for _, key := range block.Keys {
			if key.Description == "" {
				t.Errorf("%s has no description", key.Path)
			}
			if !key.NoEffect && !strings.Contains(key.Description, "cannot run natively") && key.Value == "" && len(key.Choices) == 0 {
				t.Errorf("%s: what may stand there is not said", key.Path)
			}
		}
	}
}
