package jsonlines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of jsonlines.
type Options struct {
	Filename string            // "": metrics.jsonl in the artifacts folder; "-": Stdout
	URL      *url.URL          // tcp, http or https; instead of a file
	Headers  map[string]string // of http
	Timeout  time.Duration     // of an attempt; 0: [outlet.DefaultTimeout]
	Stdout   io.Writer
}

// JSONLines writes lines as the run goes on.
type JSONLines struct {
	options Options
	run     report.Run
	name    string
	file    *os.File
	queue   *outlet.Queue[item] // nil with a file
	client  *outlet.Client      // of http
	conn    net.Conn            // of tcp; belongs to the queue's goroutine until that has ended
}

// item is what becomes one or more lines; one of its fields is set.
type item struct {
	run *report.Run
	iv  *metrics.Interval
	end *endLine
}

var _ report.Sender = (*JSONLines)(nil)

// New makes the reporter.
func New(o Options) *JSONLines { return &JSONLines{options: o} }

// Begin opens the file, or starts the goroutine that sends, and tells of the run.
func (j *JSONLines) Begin(run report.Run) error {
	j.run = run
	start := func(name string, deliver func(context.Context, []item) error) {
		j.queue = outlet.Start(outlet.Options{Name: name, Unit: "messages", Timeout: j.options.Timeout, Dying: run.Dying}, deliver)
	}
	switch {
	case j.options.URL == nil && j.options.Filename == "-":
		start("jsonlines to stdout", j.print)
	case j.options.URL == nil:
		j.name = report.OutputPath(j.options.Filename, run.Dir, "metrics.jsonl")
		if err := report.CheckWritable(j.name); err != nil {
			return err
		}
		file, err := os.Create(j.name)
		if err != nil {
			return err
		}
		j.file = file
	case j.options.URL.Scheme == "tcp":
		start("jsonlines to "+j.options.URL.Host, j.send)
	default:
		j.client = outlet.NewClient(j.options.URL, j.options.Headers)
		start("jsonlines to "+j.options.URL.Host, j.post)
	}
	return j.tell(item{run: &run})
}

// tell writes an item to the file, or leaves it to the queue.
func (j *JSONLines) tell(it item) error {
	if j.queue != nil {
		j.queue.Put(it)
		return nil
	}
	if j.file == nil {
		return nil // it failed before, and that was told
	}
	text, err := j.encode(it)
	if err == nil {
		_, err = j.file.Write(text)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", j.name, err)
	}
	return nil
}

// Observe tells of a second.
func (j *JSONLines) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	return j.tell(item{iv: iv})
}

// End tells of the end.
func (j *JSONLines) End(o *report.Outcome) error {
	err := j.tell(item{end: newEnd(o)})
	if j.queue != nil {
		if notice := j.queue.Close(); notice != "" {
			o.Notices = append(o.Notices, notice)
		}
	}
	if j.client != nil {
		j.client.Close()
	}
	if j.conn != nil {
		_ = j.conn.Close() // what could not be sent is counted already
	}
	if j.file != nil {
		if closed := j.file.Close(); err == nil && closed != nil {
			err = fmt.Errorf("write %s: %w", j.name, closed)
		}
		if err == nil {
			o.Files = append(o.Files, report.Artifact{Path: j.name, Kind: "json lines"})
		}
		j.file = nil
	}
	return err
}

// Hurry implements report.Sender.
func (j *JSONLines) Hurry() {
	if j.queue != nil {
		j.queue.Hurry()
	}
}

func (j *JSONLines) encodeAll(items []item) ([]byte, error) {
	var text []byte
	for _, it := range items {
		lines, err := j.encode(it)
		if err != nil {
			return nil, outlet.Permanent(err)
		}
		text = append(text, lines...)
	}
	return text, nil
}

func (j *JSONLines) print(_ context.Context, items []item) error {
	text, err := j.encodeAll(items)
	if err != nil {
		return err
	}
	if _, err = j.options.Stdout.Write(text); err != nil {
		return outlet.Permanent(err)
	}
	return nil
}

func (j *JSONLines) post(ctx context.Context, items []item) error {
	text, err := j.encodeAll(items)
	if err != nil {
		return err
	}
	_, err = j.client.Post(ctx, text, map[string]string{"Content-Type": "application/x-ndjson", "User-Agent": "stacrun/" + j.run.Version})
	return err
}

// send writes to a connection that is kept. When it breaks, the lines are sent again over a new one;
// they are numbered, so that a receiver can tell which it has twice.
func (j *JSONLines) send(ctx context.Context, items []item) error {
	text, err := j.encodeAll(items)
	if err != nil {
		return err
	}
	if j.conn != nil && gone(j.conn) {
		_ = j.conn.Close()
		j.conn = nil
	}
	if j.conn == nil {
		if j.conn, err = new(net.Dialer).DialContext(ctx, "tcp", j.options.URL.Host); err != nil {
			j.conn = nil
			return outlet.Cause(err)
		}
	}
	conn := j.conn
	_ = conn.SetWriteDeadline(time.Time{}) // one that is closed shows with the write
	stop := context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Now()) })
	_, err = conn.Write(text)
	stop()
	last := items[len(items)-1].end != nil
	if err != nil || last {
		closed := conn.Close()
		j.conn = nil
		if err == nil {
			err = closed
		}
	}
	return outlet.Cause(err)
}

// gone sees whether the receiver has closed the connection, which a write would not show at once.
func gone(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	var answer [256]byte
	_, err := conn.Read(answer[:]) // what a receiver says is of no interest
	var timeout net.Error
	return err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}
