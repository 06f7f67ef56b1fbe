package junit

import (
	"encoding/xml"
	"io"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// The sources of test cases.
const (
	SampleLabels = "sample-labels"
	PassFail     = "pass-fail"
)

// Options of junit-xml.
type Options struct {
	Filename string // "": xunit.xml in the artifacts folder
	Source   string // SampleLabels or PassFail; "": labels, and the criteria where there are any, so that CI sees what failed
}

// JUnit writes the file when the run has ended.
type JUnit struct {
	options Options
	run     report.Run
	file    string
	cases   []report.Case // of a functional run
}

var _ report.CaseReporter = (*JUnit)(nil)

// New makes the reporter.
func New(o Options) *JUnit { return &JUnit{options: o} }

// Begin sees whether the file can be written.
func (j *JUnit) Begin(run report.Run) error {
	j.run = run
	j.file = report.OutputPath(j.options.Filename, run.Dir, "xunit.xml")
	return report.CheckWritable(j.file)
}

// Observe does nothing: the file tells of the whole run.
func (j *JUnit) Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error { return nil }

// End writes the file.
func (j *JUnit) End(o *report.Outcome) error {
	if j.run.Functional && j.options.Source != PassFail {
		return j.end(o, func(w io.Writer) error { return write(w, j.run.Name, seconds(o.Duration), j.tests(o)) })
	}
	sources := []string{j.options.Source}
	if j.options.Source == "" {
		sources = []string{SampleLabels}
		if len(o.Verdicts) > 0 {
			sources = append(sources, PassFail)
		}
	}
	return j.end(o, func(w io.Writer) error { return Write(w, j.run, o, sources...) })
}

// end writes the file and names it among those that the run left.
func (j *JUnit) end(o *report.Outcome, content func(io.Writer) error) error {
	if err := report.WriteFile(j.file, content); err != nil {
		return err
	}
	o.Files = append(o.Files, report.Artifact{Path: j.file, Kind: "junit"})
	return nil
}

// Write writes the test cases of a run that has ended, a suite for each source; without a source for both.
func Write(w io.Writer, run report.Run, o *report.Outcome, sources ...string) error {
	if len(sources) == 0 {
		sources = []string{SampleLabels, PassFail} // in the order of the reporter
	}
	j := &JUnit{run: run}
	var list []*suite
	for _, source := range sources {
		if source == PassFail {
			list = append(list, j.criteria(o))
		} else {
			list = append(list, j.labels(o))
		}
	}
	return write(w, run.Name, seconds(o.Duration), list)
}

// suites has no count of skipped cases: the schema of Jenkins' xunit plugin, which refuses what it does not know, has it
// on suites only.
type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []*suite `xml:"testsuite"`
}

type suite struct {
	Name      string  `xml:"name,attr"`
	Tests     int     `xml:"tests,attr"`
	Failures  int     `xml:"failures,attr"`
	Errors    int     `xml:"errors,attr"`
	Skipped   int     `xml:"skipped,attr"`
	Time      string  `xml:"time,attr"`
	Timestamp string  `xml:"timestamp,attr"`
	Cases     []*test `xml:"testcase"`
}

// test is a test case: at most one of each child, since some readers take only the first.
type test struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Skipped *skipped `xml:"skipped"`
	Error   *problem `xml:"error"`
	Failure *problem `xml:"failure"`
	Out     string   `xml:"system-out,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

func (j *JUnit) suite(name string, o *report.Outcome) *suite {
	return &suite{
		Name: name, Time: seconds(o.Duration),
		// XML schemas of JUnit want a local time without zone; it is UTC here.
		Timestamp: j.run.Started.UTC().Format("2006-01-02T15:04:05"),
	}
}

// add counts a case: one with an error is not counted as failed as well, so that the numbers add up.
func (s *suite) add(t *test) {
	s.Cases = append(s.Cases, t)
	s.Tests++
	switch {
	case t.Error != nil:
		s.Errors++
	case t.Failure != nil:
		s.Failures++
	case t.Skipped != nil:
		s.Skipped++
	}
}

// class is the same in every run, so that trends over builds work.
func (j *JUnit) class(part string) string {
	name := j.run.Name
	if name == "" {
		name = "run"
	}
	return "stacrun." + name + "." + part
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

func write(w io.Writer, name, time string, list []*suite) error {
	if name == "" {
		name = "stacrun"
	}
	all := suites{Name: name, Time: time, Suites: list}
	for _, s := range list {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
