package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/url"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// DefaultEndpoint is where a collector on this machine listens.
const DefaultEndpoint = "http://127.0.0.1:4318"

// Options of otlp.
type Options struct {
	Endpoint   *url.URL          // without a path: /v1/metrics
	Headers    map[string]string // such as an API key
	Attributes map[string]string // of the resource, besides service.name
	Every      time.Duration     // between two exports; 0: 5 s
	Timeout    time.Duration     // of an export; 0: [outlet.DefaultTimeout]
}

// OTLP exports totals every few seconds, and the last ones at the end.
type OTLP struct {
	options Options
	run     report.Run
	ledger  *outlet.Ledger
	client  *outlet.Client
	queue   *outlet.Queue[int64] // seconds of which the totals are to be exported
	cadence outlet.Cadence
}

var _ report.Sender = (*OTLP)(nil)

// New makes the reporter.
func New(o Options) *OTLP {
	if o.Every <= 0 {
		o.Every = 5 * time.Second
	}
	endpoint := *o.Endpoint
	if endpoint.Path == "" || endpoint.Path == "/" {
		endpoint.Path = "/v1/metrics"
	}
	o.Endpoint = &endpoint
	return &OTLP{options: o}
}

// Begin starts the goroutine that exports.
func (x *OTLP) Begin(run report.Run) error {
	x.run, x.ledger = run, outlet.NewLedger(run)
	x.client = outlet.NewClient(x.options.Endpoint, x.options.Headers)
	x.cadence = outlet.Cadence{Every: x.options.Every}
	x.queue = outlet.Start(outlet.Options{
		Dying: run.Dying,
		Name:  "otlp to " + x.options.Endpoint.Host, Unit: "exports", Timeout: x.options.Timeout,
	}, x.deliver)
	return nil
}

// Observe adds a second.
func (x *OTLP) Observe(iv *metrics.Interval, _ *metrics.Snapshot, verdicts []criteria.Verdict) error {
	x.ledger.Add(iv, verdicts)
	if x.cadence.Due(iv.Second) {
		x.queue.Put(iv.Second)
	}
	return nil
}

// End exports the last totals.
func (x *OTLP) End(o *report.Outcome) error {
	x.ledger.Judge(o.Verdicts)
	if second, ok := x.cadence.Last(); ok {
		x.queue.Put(second)
	}
	if notice := x.queue.Close(); notice != "" {
		o.Notices = append(o.Notices, notice)
	}
	x.client.Close()
	return nil
}

// Hurry implements report.Sender.
func (x *OTLP) Hurry() { x.queue.Hurry() }

// The finest exponential buckets that make sense, since the histogram's own are a thousandth wide,
// and how many there are at most: as the SDKs have it.
const (
	finestScale = 8
	mostBuckets = 160
)

// deliver exports the totals as they are now; several seconds that are due become one export.
func (x *OTLP) deliver(ctx context.Context, seconds []int64) error {
	at := x.run.Started.Add(time.Duration(seconds[len(seconds)-1]+1) * time.Second)
	shape := outlet.Shape{Sparse: true, Scale: finestScale, MaxCount: mostBuckets}
	body, err := proto.Marshal(encode(x.ledger.Read(shape), x.run, x.options.Attributes, at))
	if err != nil {
		return outlet.Permanent(fmt.Errorf("encode: %w", err))
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body) // to memory
	_ = w.Close()
	answer, err := x.client.Post(ctx, packed.Bytes(), map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", "User-Agent": "stacrun/" + x.run.Version,
	})
	if err != nil {
		return err
	}
	if n, text := rejected(answer.Body); n > 0 {
		return outlet.Permanent(fmt.Errorf("%d data points were rejected: %s", n, report.Fit(report.Clean(text), 200)))
	}
	return nil
}

// rejected reads what a receiver did not take:
//
//	ExportMetricsServiceResponse{1: partial success{1: rejected data points, 2: error message}}
func rejected(answer []byte) (n uint64, text string) {
	fields(answer, func(number protowire.Number, value []byte, _ uint64) {
		if number != 1 {
			return
		}
		fields(value, func(number protowire.Number, value []byte, v uint64) {
			switch number {
			case 1:
				n = v
			case 2:
				text = string(value)
			}
		})
	})
	return n, text
}

// fields yields the fields of a message up to the first one that cannot be read.
func fields(message []byte, yield func(number protowire.Number, value []byte, v uint64)) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return
		}
		message = message[n:]
		switch kind {
		case protowire.BytesType:
			value, size := protowire.ConsumeBytes(message)
			if n = size; n >= 0 {
				yield(number, value, 0)
			}
		case protowire.VarintType:
			v, size := protowire.ConsumeVarint(message)
			if n = size; n >= 0 {
				yield(number, nil, v)
			}
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return
		}
		message = message[n:]
	}
}
