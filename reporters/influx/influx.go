package influx

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"maps"
	"net/url"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// DefaultURL is where InfluxDB listens on this machine.
const DefaultURL = "http://127.0.0.1:8086"

// Options of influx. Bucket and Org are of version 2 (and of 3, which takes the same); Database,
// RetentionPolicy, Username and Password are of version 1.
type Options struct {
	URL             *url.URL
	Bucket          string
	Org             string
	Token           string
	Database        string
	RetentionPolicy string
	Username        string
	Password        string
	Tags            map[string]string
	Timeout         time.Duration // of a write; 0: [outlet.DefaultTimeout]
}

// Influx writes each second as it comes.
type Influx struct {
	options Options
	run     report.Run
	client  *outlet.Client
	queue   *outlet.Queue[*metrics.Interval]
}

var _ report.Sender = (*Influx)(nil)

// New makes the reporter.
func New(o Options) *Influx { return &Influx{options: o} }

// Begin starts the goroutine that writes.
func (x *Influx) Begin(run report.Run) error {
	x.run = run
	target, header := x.target()
	x.client = outlet.NewClient(target, header)
	x.queue = outlet.Start(outlet.Options{Name: "influx at " + target.Host, Timeout: x.options.Timeout, Dying: run.Dying}, x.deliver)
	return nil
}

// target gives the address that points are written to, and the headers that allow it.
func (x *Influx) target() (*url.URL, map[string]string) {
	o := x.options
	query := url.Values{"precision": {"ms"}}
	header := map[string]string{"User-Agent": "stacrun/" + x.run.Version}
	path := "write"
	if o.Bucket != "" {
		path = "api/v2/write"
		query.Set("bucket", o.Bucket)
		if o.Org != "" {
			query.Set("org", o.Org)
		}
	} else {
		query.Set("db", o.Database)
		if o.RetentionPolicy != "" {
			query.Set("rp", o.RetentionPolicy)
		}
	}
	switch {
	case o.Token != "":
		header["Authorization"] = "Token " + o.Token
	case o.Username != "":
		header["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(o.Username+":"+o.Password))
	}
	target := o.URL.JoinPath(path)
	target.RawQuery = query.Encode()
	return target, header
}

// Observe adds a second.
func (x *Influx) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	x.queue.Put(iv)
	return nil
}

// End writes what is left.
func (x *Influx) End(o *report.Outcome) error {
	if notice := x.queue.Close(); notice != "" {
		o.Notices = append(o.Notices, notice)
	}
	x.client.Close()
	return nil
}

// Hurry implements report.Sender.
func (x *Influx) Hurry() { x.queue.Hurry() }

func (x *Influx) deliver(ctx context.Context, intervals []*metrics.Interval) error {
	tags := maps.Clone(x.options.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	if tags["run"] == "" {
		tags["run"] = x.run.Name
	}
	var text []byte
	for _, iv := range intervals {
		text = appendInterval(text, iv, x.run.Started, tags)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(text) // to memory
	_ = w.Close()
	_, err := x.client.Post(ctx, packed.Bytes(), map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "Content-Encoding": "gzip",
	})
	return err
}
