package prometheus

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// feed hands the whole made-up run but its end to a reporter.
func feed(t *testing.T, p *Prometheus, run report.Run) {
	t.Helper()
	if err := p.Begin(run); err != nil {
		t.Fatal(err)
	}
	snap := metrics.NewSnapshot()
	for _, iv := range reporttest.Intervals() {
		snap.Add(iv)
		if err := p.Observe(iv, snap, reporttest.Verdicts()); err != nil {
			t.Fatal(err)
		}
	}
}

func get(t *testing.T, address, accept string) (string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), resp.Header
}

func TestPageEqualsTheSnapshot(t *testing.T) {
	p := New(Options{Listen: "127.0.0.1:0", Labels: map[string]string{"env": "ci", "label": "not ours"}})
	feed(t, p, reporttest.Run(reporttest.Dir))
	text, header := get(t, p.Address(), "")
	if !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Error(header)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	snap := reporttest.Snapshot(reporttest.Intervals())
	for _, row := range snap.ExecutionRows() {
		if row.Kind != metrics.RequestKind {
			continue
		}
		var n float64
		for _, m := range families["stacrun_requests_total"].GetMetric() {
			if is(m, "label", row.Label) && is(m, "warm_up", "false") && is(m, "env", "ci") && is(m, "execution", "browse") {
				n += m.GetCounter().GetValue()
			}
		}
		if n != float64(row.Finished) {
			t.Errorf("%q: %v requests, want %d", row.Label, n, row.Finished)
		}
		for _, m := range families["stacrun_request_response_time_seconds"].GetMetric() {
			if !is(m, "label", row.Label) || !is(m, "warm_up", "false") {
				continue
			}
			h := m.GetHistogram()
			if h.GetSampleCount() != uint64(row.Response.Count) || h.GetSampleSum() != float64(row.Response.Total)/1e9 {
				t.Errorf("%q: histogram of %d values and sum %v", row.Label, h.GetSampleCount(), h.GetSampleSum())
			}
			for _, b := range h.GetBucket() {
				want := row.Response.Histogram.CountAtOrBelow(int64(b.GetUpperBound() * 1e9))
				if b.GetUpperBound() < 1e6 && b.GetCumulativeCount() != uint64(want) {
					t.Errorf("%q: %d values up to %v, want %d", row.Label, b.GetCumulativeCount(), b.GetUpperBound(), want)
				}
			}
		}
	}
	if err := p.End(reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
}

func is(m *dto.Metric, name, value string) bool {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue() == value
		}
	}
	return false
}

func TestPageInOtherFormats(t *testing.T) {
	p := New(Options{Listen: "127.0.0.1:0"})
	feed(t, p, reporttest.Run(reporttest.Dir))
	defer p.End(reporttest.Outcome())

	text, header := get(t, p.Address(), "application/openmetrics-text;version=1.0.0")
	if !strings.HasPrefix(header.Get("Content-Type"), "application/openmetrics-text") || !strings.HasSuffix(text, "# EOF\n") {
		t.Errorf("%v\n%s", header, text)
	}
	const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
	text, header = get(t, p.Address(), protobuf)
	decoder := expfmt.NewDecoder(strings.NewReader(text), expfmt.ResponseFormat(header))
	natives := 0
	for {
		var f dto.MetricFamily
		err := decoder.Decode(&f)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			if h == nil {
				continue
			}
			natives++
			count, at := int64(h.GetZeroCount()), int64(0)
			for _, delta := range h.GetPositiveDelta() {
				at += delta
				count += at
			}
			length := uint32(0)
			for _, s := range h.GetPositiveSpan() {
				length += s.GetLength()
			}
			if h.GetSchema() != nativeScale || count != int64(h.GetSampleCount()) || int(length) != len(h.GetPositiveDelta()) {
				t.Errorf("%s: native histogram of %d values in %d buckets, want %d", f.GetName(), count, length, h.GetSampleCount())
			}
		}
	}
	if natives == 0 {
		t.Error("no native histogram")
	}
}

func TestListenFails(t *testing.T) {
	first := New(Options{Listen: "127.0.0.1:0"})
	if err := first.Begin(report.Run{}); err != nil {
		t.Fatal(err)
	}
	defer first.End(&report.Outcome{})
	if err := New(Options{Listen: first.Address()}).Begin(report.Run{}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a port that is taken: %v", err)
	}
}

func TestLinger(t *testing.T) {
	p := New(Options{Listen: "127.0.0.1:0", Linger: time.Minute})
	feed(t, p, reporttest.Run(reporttest.Dir))
	ended := make(chan struct{})
	o := reporttest.Outcome()
	go func() {
		defer close(ended)
		_ = p.End(o)
	}()
	for over := false; !over; {
		p.mu.Lock()
		over = p.ended
		p.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	get(t, p.Address(), "")
	<-ended
	if len(o.Notices) > 0 {
		t.Error(o.Notices)
	}
	p = New(Options{Listen: "127.0.0.1:0", Linger: time.Millisecond})
	feed(t, p, reporttest.Run(reporttest.Dir))
	if _ = p.End(o); len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "nobody read the last figures") {
		t.Error(o.Notices)
	}
}

// A page that lingers does not keep who interrupts it.
func TestLingerInAHurry(t *testing.T) {
	p := New(Options{Listen: "127.0.0.1:0", Linger: time.Hour})
	feed(t, p, reporttest.Run(reporttest.Dir))
	p.Hurry()
	p.Hurry() // as often as one likes
	if err := p.End(reporttest.Outcome()); err != nil {
		t.Error(err)
	}
}

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
