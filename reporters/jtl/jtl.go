package jtl

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of jtl.
type Options struct {
	Filename string // "": kpi.jtl in the artifacts folder
}

// header names JMeter's default columns. Times are in milliseconds.
const header = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads,Latency,Hostname,Connect\n"

// JTL writes samples of requests and transactions that finished, those of the warm-up marked in threadName. Those that the
// end of the run cut short are left out, as they are from all counts of finished requests.
type JTL struct {
	options Options
	run     report.Run
	host    string
	file    string

	mutex  sync.Mutex // guards what follows: Samples comes from another goroutine than End
	closer io.Closer
	out    *bufio.Writer
	line   []byte
	err    error
}

var _ report.SampleReporter = (*JTL)(nil)

// New makes the reporter.
func New(o Options) *JTL { return &JTL{options: o} }

// bufferSize holds some 4,000 rows.
const bufferSize = 256 << 10

// Begin makes the file.
func (j *JTL) Begin(run report.Run) error {
	j.run = run
	j.file = report.OutputPath(j.options.Filename, run.Dir, "kpi.jtl")
	if err := report.CheckWritable(j.file); err != nil {
		return err
	}
	if name, err := os.Hostname(); err == nil {
		j.host = name
	}
	file, err := os.Create(j.file)
	if err != nil {
		return err
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.closer, j.out = file, bufio.NewWriterSize(file, bufferSize)
	_, j.err = j.out.WriteString(header)
	return j.failed()
}

// Observe hands to the system what a second brought, so that a run that is killed leaves it, and tells of an error of writing as
// soon as there is one.
func (j *JTL) Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.out != nil && j.err == nil {
		j.err = j.out.Flush()
	}
	return j.failed()
}

// Samples writes a batch.
func (j *JTL) Samples(batch []metrics.Sample, labels func(metrics.LabelID) string) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.out == nil {
		return j.failed()
	}
	for i := range batch {
		s := &batch[i]
		if s.Kind != metrics.RequestKind && s.Kind != metrics.TransactionKind || s.Flags&metrics.Interrupted != 0 {
			continue
		}
		j.line = j.append(j.line[:0], s, labels(s.Label))
		if j.err == nil {
			_, j.err = j.out.Write(j.line)
		}
	}
	return j.failed()
}

// End closes the file.
func (j *JTL) End(o *report.Outcome) error {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.out == nil {
		return nil
	}
	if err := j.out.Flush(); j.err == nil {
		j.err = err
	}
	if err := j.closer.Close(); j.err == nil {
		j.err = err
	}
	j.out = nil
	if j.err == nil {
		o.Files = append(o.Files, report.Artifact{Path: j.file, Kind: "jtl"})
	}
	return j.failed()
}

func (j *JTL) failed() error {
	if j.err != nil {
		return fmt.Errorf("write %s: %w", j.file, j.err)
	}
	return nil
}

// append writes one row. elapsed is the service time, since timeStamp is when the request began.
func (j *JTL) append(b []byte, s *metrics.Sample, label string) []byte {
	ms := func(ns int64) int64 { return (ns + int64(time.Millisecond)/2) / int64(time.Millisecond) }
	number := func(n int64) {
		b = append(strconv.AppendInt(b, n, 10), ',')
	}
	text := func(v string) {
		b = append(appendField(b, v), ',')
	}
	number(j.run.Started.Add(time.Duration(s.Start)).UnixMilli())
	number(ms(s.Service()))
	text(label)
	code, message := answer(s)
	text(code)
	text(message)
	text(j.thread(s))
	b = append(strconv.AppendBool(b, s.Flags&metrics.Failed == 0), ',')
	number(s.BytesIn)
	number(int64(s.Users))
	number(int64(s.Users))
	number(ms(s.FirstByte - s.Start))
	text(j.host)
	connect := int64(0)
	if s.Flags&metrics.NewConnection != 0 {
		connect = s.TLS - s.Start
	}
	return append(strconv.AppendInt(b, ms(connect), 10), '\n')
}

// answer gives JMeter's response code and message: for a fault without an answer the name of
// the exception that it would have shown, which Taurus takes for the code.
func answer(s *metrics.Sample) (code, message string) {
	if s.Status != 0 {
		code, message = strconv.Itoa(int(s.Status)), http.StatusText(int(s.Status))
		if s.Fault != metrics.NoFault && s.Fault != metrics.FaultStatus {
			message = s.Fault.String()
		}
		return code, message
	}
	if s.Fault == metrics.NoFault {
		return "", "" // a transaction
	}
	return criteria.FaultCode(s.Fault), s.Fault.String()
}

// thread names a user as JMeter does: group, then group number and user number. The format has no column for the warm-up, so
// that stands before the name: who sums samples up can leave them out.
func (j *JTL) thread(s *metrics.Sample) string {
	name := ""
	if int(s.Execution) < len(j.run.Executions) {
		name = j.run.Executions[s.Execution].Name
	}
	if s.Flags&metrics.WarmUp != 0 {
		name = "warm-up " + name
	}
	return name + " " + strconv.Itoa(int(s.Execution)+1) + "-" + strconv.Itoa(int(s.User)+1)
}

// appendField quotes a text where CSV needs it.
func appendField(b []byte, v string) []byte {
	if !strings.ContainsAny(v, ",\"\r\n") {
		return append(b, v...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(v, `"`, `""`)...)
	return append(b, '"')
}
