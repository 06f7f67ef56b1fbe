package session

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// caseTracer makes test cases of the requests of a functional run.
type caseTracer struct {
	mu      sync.Mutex
	secrets *config.Secrets
	takers  []report.CaseReporter // guarded by mu: each is called for one case after the other
}

// caseTracer gives nil when no reporter tells of test cases.
func (r *run) caseTracer() engine.Tracer {
	t := &caseTracer{secrets: config.SecretsOf(r.File.Document)}
	for _, reporter := range r.reporters {
		if taker, ok := reporter.(report.CaseReporter); ok {
			t.takers = append(t.takers, taker)
		}
	}
	if t.takers == nil {
		return nil
	}
	return t
}

// Exchange takes the last exchange of each request. What happens outside the measured window (setup, prepare) is no test.
func (t *caseTracer) Exchange(x engine.Trace) {
	if x.Sample.Kind != metrics.RequestKind || x.Followed || x.Retried || x.Sample.Flags&metrics.WarmUp != 0 {
		return
	}
	c := report.Case{
		Suite: x.Execution, Name: x.Label, Step: x.Step, Number: x.Iteration, Status: report.CasePassed,
		Started: x.Started, Duration: time.Duration(x.Sample.Service()),
	}
	switch x.Sample.Fault {
	case metrics.NoFault:
	case metrics.FaultStatus, metrics.FaultAssertion, metrics.FaultExtraction:
		c.Status = report.CaseFailed
	case metrics.FaultInterrupted:
		c.Status = report.CaseSkipped
	default:
		c.Status = report.CaseBroken
	}
	if c.Status != report.CasePassed {
		c.Message = t.secrets.Mask(x.Fault + ": " + x.FaultText)
		c.Details = t.secrets.Mask(caseDetails(&x))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, taker := range t.takers {
		taker.Case(c)
	}
}

// caseBody is how much of a body a test case shows, in bytes.
const caseBody = 2000

// caseDetails shows what was sent and what came, with secrets in headers masked.
func caseDetails(x *engine.Trace) string {
	var b strings.Builder
	if len(x.Request) > 0 {
		fmt.Fprintf(&b, "%s\n\n", x.URL)
		writeHead(&b, x.Request[:x.RequestHead])
		writeBody(&b, x.Request[x.RequestHead:])
	}
	if len(x.ResponseHead) > 0 {
		b.WriteString("\n")
		writeHead(&b, x.ResponseHead)
		writeBody(&b, x.ResponseBody)
	}
	for _, e := range x.Extractions {
		value := e.Value
		if config.IsSecretKey(e.Variable) {
			value = config.Mask
		}
		if !e.Found {
			value = "(nothing found)"
		}
		fmt.Fprintf(&b, "\nextract %s = %s from %s", e.Variable, diag.Shorten(value, 200), e.Query)
	}
	for _, check := range x.Checks {
		if check.OK {
			fmt.Fprintf(&b, "\ncheck passed: %s", check.Text)
		} else {
			fmt.Fprintf(&b, "\ncheck FAILED: %s: %s", check.Text, check.Saw)
		}
	}
	return strings.TrimSpace(b.String())
}

func writeHead(b *strings.Builder, head []byte) {
	for line := range bytes.Lines(config.MaskHead(bytes.TrimSpace(head))) {
		b.WriteString(strings.TrimRight(string(line), "\r\n") + "\n")
	}
}

func writeBody(b *strings.Builder, body []byte) {
	if len(body) == 0 {
		return
	}
	more := ""
	if len(body) > caseBody {
		more = fmt.Sprintf("\n… %d bytes more", len(body)-caseBody)
		body = body[:caseBody]
	}
	b.WriteString("\n" + strings.TrimRight(strings.ToValidUTF8(string(body), "\uFFFD"), "\r\n") + more + "\n")
}
