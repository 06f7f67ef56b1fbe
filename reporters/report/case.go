package report

import "time"

// Case is one test case of a functional run: one request.
type Case struct {
	Suite    string // name of the execution
	Name     string // label
	Step     string // dotted path of the request in the document
	Number   int64  // of the iteration, from 0
	Status   CaseStatus
	Started  time.Time
	Duration time.Duration
	Message  string // what went wrong, in one line; "" for one that passed
	Details  string // request, answer and checks as text, secrets masked
}

// CaseStatus is how a test case ended, in Taurus' words.
type CaseStatus string

// The statuses.
const (
	CasePassed  CaseStatus = "passed"
	CaseFailed  CaseStatus = "failed" // the answer is not the wanted one
	CaseBroken  CaseStatus = "broken" // no whole answer came, or the request could not be made
	CaseSkipped CaseStatus = "skipped"
)

// CaseReporter is a reporter that tells of the test cases of a functional run. Case is called for one after the other, while the run goes on.
type CaseReporter interface {
	Reporter
	Case(Case)
}
