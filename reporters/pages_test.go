package reporters

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
)

// TestPages makes the reporters of the two pages as a file asks for them: the document in the page
// has its secrets masked, and the step summary is written where the environment names one.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary.md")
	scalar := func(text string) *config.Node { return &config.Node{Kind: config.Scalar, Text: text} }
	file := &config.File{
		Document: &config.Node{Kind: config.Mapping, Entries: []config.Entry{
			{Key: "user", Value: scalar("someone")}, {Key: "password", Value: scalar("hunter2")},
		}},
		Reporting: []config.Module{module("report-html", "filename="+filepath.Join(dir, "page.html")), module("markdown"), module("markdown", "step-summary=false", "filename="+filepath.Join(dir, "other.md"))},
	}
	list, diags := Build(file, Options{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) (string, bool) {
		return summary, name == "GITHUB_STEP_SUMMARY"
	}})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	o := &report.Outcome{Result: report.ResultPassed}
	for _, r := range list {
		if err := r.Begin(report.Run{Name: "smoke", Dir: dir}); err != nil {
			t.Fatal(err)
		}
		if err := r.End(o); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if page := read("page.html"); !strings.Contains(page, "user: someone") || strings.Contains(page, "hunter2") {
		t.Error("the page shows a secret, or no document")
	}
	if n := strings.Count(read("summary.md"), "smoke: passed"); n != 1 {
		t.Errorf("the step summary has %d reports, want 1", n)
	}
	if read("report.md") != read("other.md") {
		t.Error("two files of the same run differ")
	}
}
