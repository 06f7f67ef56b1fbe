package config

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/diag"
)

// A file without a key is called empty, not only a document without an execution.
func TestEmptyFilesAreNamed(t *testing.T) {
	read := func(string) ([]byte, error) { return []byte("# nothing but this\n"), nil }
	for want, names := range map[string][]string{
		"a.yml is empty":            {"a.yml"},
		"a.yml and b.yml are empty": {"a.yml", "b.yml"},
	} {
		_, diags := Load(context.Background(), names, Options{FS: read})
		if len(diags) != 1 || diags[0].Message != want || diags[0].Hint == "" {
			t.Errorf("%v: %v, want %q", names, diags, want)
		}
	}
}

func TestOverrideWithBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"execution[0].x=3":           "write execution.0.x=3",
		"execution[-1]=3":            "write execution.-1=3",
		"scenarios.s.requests[1].a=": "write scenarios.s.requests.1.a=",
	} {
		_, problem := parseOverride(text, diag.Pos{File: overrideName, Line: 1, Column: 1})
		if problem == nil || problem.Hint != want {
			t.Errorf("%s: %v, want the hint %q", text, problem, want)
		}
	}
	for _, text := range []string{`scenarios."a[0].b".x=1`, "scenarios.a[b].x=1", "execution.0.x=a[0]=1"} {
		if _, problem := parseOverride(text, diag.Pos{}); problem != nil {
			t.Errorf("%s: %v", text, problem)
		}
	}
}

// A status may be written as accept and retry take it.
func TestStatusWithX(t *testing.T) {
	for text, want := range map[string]string{"rc5xx>0": "rc5??", "rc5XX of a>1%": "rc5??", "rc40x>0": "rc40?", "rc503>0": "rc503"} {
		c, diags := ParseCriterion(text, diag.Pos{})
		if diags.HasErrors() || c.Subject != want {
			t.Errorf("%s: subject %q %v, want %q", text, c.Subject, diags, want)
		}
	}
}

// The names of files that were not found are told in full where the folder is known.
func TestMissingFileIsToldInFull(t *testing.T) {
	text := "execution: [{scenario: s}]\nscenarios: {s: {data-sources: [missing.csv], requests: [http://localhost/]}}\n"
	dir := t.TempDir()
	_, diags := Load(context.Background(), nil, Options{Documents: []Document{{Name: "a.yml", Text: []byte(text)}}, WorkDir: dir})
	if len(diags) != 1 || !strings.Contains(diags[0].Hint, filepath.Join(dir, "missing.csv")) {
		t.Errorf("%+v", diags)
	}
}
