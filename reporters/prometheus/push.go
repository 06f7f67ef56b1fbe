package prometheus

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/snappy"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// pusher sends the totals every few seconds. A push that fails is made up for by the next one, since
// totals are told anew each time; only points of the time line are lost.
type pusher struct {
	options Options
	run     report.Run
	ledger  *outlet.Ledger
	client  *outlet.Client
	queue   *outlet.Queue[int64] // seconds of which the totals are to be sent
	labels  map[string]string
	form    int  // index into forms: what the receiver understands, as far as known
	known   bool // it took a push in this form
	cadence outlet.Cadence
}

// form is one way to write a push.
type form struct{ v2, native bool }

// forms are tried in this order until the receiver takes one.
var forms = [...]form{{true, true}, {true, false}, {false, true}, {false, false}}

func startPusher(o Options, run report.Run, ledger *outlet.Ledger) *pusher {
	p := &pusher{
		options: o, run: run, ledger: ledger, client: outlet.NewClient(o.RemoteWrite, o.Headers),
		labels: map[string]string{"job": "stacrun"}, cadence: outlet.Cadence{Every: o.Every},
	}
	if host, err := os.Hostname(); err == nil {
		p.labels["instance"] = host
	}
	for name, value := range o.Labels {
		p.labels[name] = value
	}
	p.queue = outlet.Start(outlet.Options{
		Dying: run.Dying,
		Name:  "prometheus remote write to " + o.RemoteWrite.Host, Unit: "pushes", Timeout: o.Timeout,
	}, p.deliver)
	return p
}

// observe asks for a push when it is time for one.
func (p *pusher) observe(iv *metrics.Interval) {
	if p.cadence.Due(iv.Second) {
		p.queue.Put(iv.Second)
	}
}

// close pushes the last totals and gives a notice of what was lost.
func (p *pusher) close() string {
	if second, ok := p.cadence.Last(); ok {
		p.queue.Put(second)
	}
	notice := p.queue.Close()
	p.client.Close()
	return notice
}

// seriesPerPush bounds the size of one message.
const seriesPerPush = 5000

// deliver sends the totals as they are now; several seconds that are due become one push.
func (p *pusher) deliver(ctx context.Context, seconds []int64) error {
	shape := outlet.Shape{Limits: p.options.Buckets, Sparse: !p.options.Classic, Scale: nativeScale}
	at := p.run.Started.Add(time.Duration(seconds[len(seconds)-1]+1) * time.Second)
	families := p.ledger.Read(shape)
	for {
		f := forms[p.form]
		if f.native && p.options.Classic {
			p.form++
			continue
		}
		err := p.send(ctx, seriesOf(families, p.labels, p.options.Buckets, at, f.native), f)
		if err == nil {
			p.known = true
			return nil
		}
		var status *outlet.StatusError
		if p.known || ctx.Err() != nil || !errors.As(err, &status) || !refused(status, f) {
			return err
		}
		next := nextForm(p.form, status.Code)
		if next >= len(forms) {
			p.form = 0
			return err
		}
		p.form = next
	}
}

// refused says whether another form may fare better. A receiver that has native histograms switched
// off says so with whatever status, Prometheus 2.42 with 500.
func refused(status *outlet.StatusError, f form) bool {
	if f.native && strings.Contains(strings.ToLower(status.Text), "native histogram") {
		return true
	}
	return status.Code/100 == 4 && status.Code != http.StatusTooManyRequests && status.Code != http.StatusRequestTimeout
}

// nextForm is what to try after a refusal. 415 refuses the version as such.
func nextForm(now, status int) int {
	if status == http.StatusUnsupportedMediaType && forms[now].v2 {
		return 2
	}
	return now + 1
}

func (p *pusher) send(ctx context.Context, series []series, f form) error {
	for len(series) > 0 {
		n := min(len(series), seriesPerPush)
		part := series[:n]
		series = series[n:]
		header := map[string]string{"Content-Encoding": "snappy", "User-Agent": "stacrun/" + p.run.Version}
		var body []byte
		if f.v2 {
			body = encodeV2(part)
			header["Content-Type"] = "application/x-protobuf;proto=io.prometheus.write.v2.Request"
			header["X-Prometheus-Remote-Write-Version"] = "2.0.0"
		} else {
			body = encodeV1(part)
			header["Content-Type"] = "application/x-protobuf"
			header["X-Prometheus-Remote-Write-Version"] = "0.1.0"
		}
		answer, err := p.client.Post(ctx, snappy.Encode(nil, body), header)
		if err != nil {
			return err
		}
		if err := confirm(answer.Header, part, f); err != nil {
			return err
		}
	}
	return nil
}

// confirm checks that a receiver says it has written what it got. One of version 1 reads a message
// of version 2 as an empty one, answers with success and says nothing; it is asked again in its own
// version.
func confirm(header http.Header, sent []series, f form) error {
	if !f.v2 {
		return nil
	}
	samples, histograms := 0, 0
	for i := range sent {
		if sent[i].histogram != nil {
			histograms++
		} else {
			samples++
		}
	}
	const prefix, suffix = "X-Prometheus-Remote-Write-", "-Written"
	if header.Get(prefix+"Samples"+suffix) == "" && header.Get(prefix+"Histograms"+suffix) == "" {
		return &outlet.StatusError{Code: http.StatusUnsupportedMediaType, Text: "the receiver does not say that it wrote anything"}
	}
	for name, want := range map[string]int{"Samples": samples, "Histograms": histograms} {
		written, _ := strconv.Atoi(header.Get(prefix + name + suffix)) // one that is missing means 0
		if written < want {
			return outlet.Permanent(fmt.Errorf("%d of %d %s were written", written, want, strings.ToLower(name)))
		}
	}
	return nil
}
