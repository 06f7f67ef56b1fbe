package junit

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// consumers returns the folder of a virtual environment with the readers in it, and the schema of Jenkins' xunit plugin. One that
// has them may be named by STACRUN_JUNIT_PYTHON; with STACRUN_REQUIRE_TOOLS=1 it is made; else the test is skipped.
func consumers(t *testing.T) (python, schema string) {
	t.Helper()
	dir := os.Getenv("STACRUN_JUNIT_PYTHON")
	if dir == "" {
		if os.Getenv("STACRUN_REQUIRE_TOOLS") != "1" {
			t.Skip("readers of JUnit files are not looked for: set STACRUN_REQUIRE_TOOLS=1 to have reporters/junit/testdata/python/requirements.txt installed " +
				"into a virtual environment, or STACRUN_JUNIT_PYTHON to one that was made so")
		}
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		dir = filepath.Join(cache, "stacrun", "junit-python-1")
	}
	python, schema = filepath.Join(dir, "bin", "python"), filepath.Join(dir, "junit-10.xsd")
	if _, err := os.Stat(schema); err == nil { // made last
		return python, schema
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	sources := filepath.Join(dir, "sources")
	const extract = `import glob, shutil, sys, tarfile
archive = tarfile.open(glob.glob(sys.argv[1] + "/pytest-*.tar.gz")[0])
member = next(m for m in archive.getmembers() if m.name.endswith("/junit-10.xsd"))
shutil.copyfileobj(archive.extractfile(member), open(sys.argv[2], "wb"))`
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", dir},
		{python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", "testdata/python/requirements.txt"},
		{python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary", "pytest", "-d", sources, "pytest==9.0.1"},
		{python, "-c", extract, sources, schema},
	} {
		var out []byte
		var err error
		for range 2 { // a download that fails is tried once more
			if out, err = exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return python, schema
}

// TestConsumersAccept: files of every kind are valid by the schema of Jenkins, and what a reader of GitHub's sees is what we meant.
func TestConsumersAccept(t *testing.T) {
	python, schema := consumers(t)
	hostile := reporttest.Outcome()
	hostile.Verdicts[0].Text, hostile.Verdicts[0].Observed = "p95 of <a href=\"x\">\x00]]>&\xff>1", "\x1b[31m\"'<>"
	for _, test := range []struct {
		name                    string
		options                 Options
		outcome                 *report.Outcome
		cases                   []report.Case
		tests, failures, errors int
	}{
		{"labels and criteria", Options{}, reporttest.Outcome(), nil, 9, 3, 1},
		{"labels", Options{Source: SampleLabels}, reporttest.Outcome(), nil, 4, 1, 1},
		{"criteria", Options{Source: PassFail}, reporttest.Outcome(), nil, 5, 2, 0},
		{"hostile texts", Options{Source: PassFail}, hostile, nil, 5, 2, 0},
		{"nothing", Options{}, &report.Outcome{}, nil, 0, 0, 0},
		{"functional", Options{}, &report.Outcome{}, []report.Case{
			{Suite: "browse", Name: "home", Status: report.CasePassed, Duration: 1234567 * time.Millisecond},
			{Suite: "browse", Name: "item", Status: report.CaseFailed, Message: "status 404", Details: "GET /item\n<body>"},
			{Suite: "browse", Name: "", Status: report.CaseBroken, Message: "connection refused", Number: 1},
			{Suite: "other", Name: "left out", Status: report.CaseSkipped, Message: "after a failure"},
		}, 4, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			j := New(test.options)
			run := reporttest.Run(dir)
			run.Functional = test.cases != nil
			if err := j.Begin(run); err != nil {
				t.Fatal(err)
			}
			for _, c := range test.cases {
				j.Case(c)
			}
			if err := j.End(test.outcome); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), python, "testdata/python/read.py", schema, filepath.Join(dir, "xunit.xml")).Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var seen struct {
				Problems                []string
				Tests, Failures, Errors int
				Cases                   []struct {
					Class, Name string
					Results     []struct{ Kind, Message, Type string }
				}
			}
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatal(err)
			}
			for _, problem := range seen.Problems {
				t.Errorf("not valid: %s", problem)
			}
			if seen.Tests != test.tests || seen.Failures != test.failures || seen.Errors != test.errors || len(seen.Cases) != test.tests {
				t.Errorf("%d tests (%d listed), %d failures, %d errors, want %d, %d, %d", seen.Tests, len(seen.Cases), seen.Failures, seen.Errors, test.tests, test.failures, test.errors)
			}
			kinds := map[string]int{}
			for _, c := range seen.Cases {
				if c.Class == "" || c.Name == "" {
					t.Errorf("a case of class %q is named %q", c.Class, c.Name)
				}
				for _, r := range c.Results {
					if kinds[r.Kind]++; r.Kind != "Skipped" && (r.Message == "" || r.Type == "") {
						t.Errorf("%s: %+v", c.Name, r)
					}
				}
			}
			if kinds["Failure"] != test.failures || kinds["Error"] != test.errors {
				t.Errorf("results %v", kinds)
			}
		})
	}
}
