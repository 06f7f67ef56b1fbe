package junit

import (
	"fmt"
	"time"

	"github.com/stacrun/stacrun/reporters/report"
)

// Case keeps a test case of a functional run.
func (j *JUnit) Case(c report.Case) {
	if c.Status == report.CasePassed {
		c.Details = "" // of interest for what failed only
	}
	j.cases = append(j.cases, c)
}

// tests makes a suite of each execution, with a case of each request that was made. A request that was made in several iterations
// bears their numbers, so that no reader takes one for the other.
func (j *JUnit) tests(o *report.Outcome) []*suite {
	list := []*suite{}
	byName := map[string]*suite{}
	took := map[*suite]time.Duration{}
	for i := range j.cases {
		c := &j.cases[i]
		s := byName[c.Suite]
		if s == nil {
			s = j.suite(c.Suite, o)
			s.Timestamp = c.Started.UTC().Format("2006-01-02T15:04:05")
			byName[c.Suite] = s
			list = append(list, s)
		}
		name := c.Name
		if name == "" {
			name = "[empty]"
		}
		if c.Number > 0 {
			name += fmt.Sprintf(" [%d]", c.Number+1)
		}
		t := &test{Class: j.class(c.Suite), Name: name, Time: seconds(c.Duration)}
		switch c.Status {
		case report.CaseFailed:
			t.Failure = &problem{Message: c.Message, Type: "failed", Text: c.Details}
		case report.CaseBroken:
			t.Error = &problem{Message: c.Message, Type: "broken", Text: c.Details}
		case report.CaseSkipped:
			t.Skipped = &skipped{Message: c.Message}
		}
		took[s] += c.Duration
		s.Time = seconds(took[s])
		s.add(t)
	}
	return list
}
