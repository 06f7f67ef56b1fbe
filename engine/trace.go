package engine

import (
	"time"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// Tracer is shown every exchange with all that was seen in it. It is nil under load; debug, HAR and
// functional mode use it. Exchange is called from the users' goroutines, possibly at once.
type Tracer interface {
	Exchange(Trace)
}

// Trace is one exchange in full. Its bytes belong to the receiver.
type Trace struct {
	Execution string
	Label     string
	Step      string // dotted path of the request in the document
	User      int    // from 0
	Iteration int64

	Method       string
	URL          string
	Request      []byte // head and body as they were sent
	RequestHead  int    // length of the head within Request
	Redirect     bool   // made by following a redirect or by answering a challenge; extractions and checks stand at the last one
	Followed     bool   // another exchange of the same request comes behind this one
	Retried      bool   // the attempt failed and was made again; only the last one counts
	Protocol     string // "HTTP/1.1"
	Status       int
	ResponseHead []byte // raw, status line included
	ResponseBody []byte // decoded
	BodyBytes    int64  // length of the body on the wire, without transfer coding
	Truncated    bool   // the body was longer than what is kept

	Started     time.Time
	Timing      wire.Timing    // of this exchange alone; zero when nothing was sent
	Sample      metrics.Sample // of the whole request so far, redirects included
	Fault       string         // "" when nothing failed
	FaultText   string
	Extractions []TraceExtraction
	Checks      []TraceCheck
}

// TraceExtraction is what an extractor made of the response.
type TraceExtraction struct {
	Variable string
	Query    string
	Value    string
	Found    bool // false: the default, or nothing
}

// TraceCheck is what an assertion saw.
type TraceCheck struct {
	Text string // the check as a sentence
	OK   bool
	Saw  string // why it failed, with the value it saw
}
