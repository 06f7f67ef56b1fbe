package junit

import (
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

var _ = flag.Bool("update", false, "write the goldens")

func written(t *testing.T, options Options, o *report.Outcome) (name, text string) {
	t.Helper()
	dir := t.TempDir()
	if err := reporttest.Feed(New(options), reporttest.Run(dir), o); err != nil {
		t.Fatal(err)
	}
	if len(o.Files) != 1 {
		t.Fatalf("files %+v", o.Files)
	}
	content, err := os.ReadFile(o.Files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(dir, o.Files[0].Path)
	return rel, string(content)
}

func TestGoldens(t *testing.T) {
	for _, source := range []string{SampleLabels, PassFail} {
		t.Run(source, func(t *testing.T) {
			name, text := written(t, Options{Source: source}, reporttest.Outcome())
			if name != "xunit.xml" {
				t.Errorf("default name %q", name)
			}
			reporttest.Golden(t, source+".xml", text)
			checkStructure(t, text)
		})
	}
}

func TestFilename(t *testing.T) {
	if name, _ := written(t, Options{Filename: "${TAURUS_ARTIFACTS_DIR}/a/junit.xml"}, reporttest.Outcome()); name != filepath.Join("a", "junit.xml") {
		t.Errorf("written to %q", name)
	}
}

func TestHostileTextStaysWellFormed(t *testing.T) {
	o := reporttest.Outcome()
	o.Verdicts[0].Text = "p95 of <a href=\"x\">\x00]]>&\xff>1"
	o.Verdicts[0].Observed = "\x1b[31m\"'<>"
	_, text := written(t, Options{Source: PassFail}, o)
	checkStructure(t, text)
}

func TestEmptyRun(t *testing.T) {
	_, text := written(t, Options{}, &report.Outcome{})
	checkStructure(t, text)
}

// element is any element, as an independent reader sees it.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (e element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// checkStructure holds a file against what the readers of GitHub, GitLab and Jenkins rely on: the
// elements and required attributes of their schemas, and counts that equal what is listed.
func checkStructure(t *testing.T, text string) {
	t.Helper()
	var root element
	if err := xml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatalf("not well-formed: %v\n%s", err, text)
	}
	if root.XMLName.Local != "testsuites" {
		t.Fatalf("root %s", root.XMLName.Local)
	}
	for _, s := range root.Children {
		if s.XMLName.Local != "testsuite" || s.attr("name") == "" || len(s.attr("timestamp")) != len("2006-01-02T15:04:05") {
			t.Errorf("suite %+v", s.Attrs)
		}
		counts := map[string]int{}
		for _, c := range s.Children {
			counts["tests"]++
			if c.XMLName.Local != "testcase" || c.attr("classname") == "" || c.attr("name") == "" {
				t.Errorf("case %+v", c.Attrs)
			}
			if seconds, err := strconv.ParseFloat(c.attr("time"), 64); err != nil || seconds < 0 {
				t.Errorf("time %q of %s", c.attr("time"), c.attr("name"))
			}
			seen := map[string]bool{}
			for _, child := range c.Children {
				kind := child.XMLName.Local
				if seen[kind] || !strings.Contains(" skipped error failure system-out ", " "+kind+" ") {
					t.Errorf("child %s of %s", kind, c.attr("name"))
				}
				seen[kind] = true
				if (kind == "error" || kind == "failure") && (child.attr("message") == "" || child.attr("type") == "") {
					t.Errorf("%s of %s lacks message or type", kind, c.attr("name"))
				}
			}
			switch {
			case seen["error"]:
				counts["errors"]++
			case seen["failure"]:
				counts["failures"]++
			case seen["skipped"]:
				counts["skipped"]++
			}
		}
		for _, name := range []string{"tests", "failures", "errors", "skipped"} {
			want := strconv.Itoa(counts[name])
			if s.attr(name) != want || name != "skipped" && root.attr(name) != want {
				t.Errorf("%s: suite says %s, root %s, listed %s", name, s.attr(name), root.attr(name), want)
			}
		}
	}
}
