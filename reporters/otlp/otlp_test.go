package otlp

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector is a strict receiver of the protocol.
type collector struct {
	t      *testing.T
	answer []byte
	mu     sync.Mutex
	last   *metricspb.MetricsData
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/metrics" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
		r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Api-Key") != "k" {
		c.t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		c.t.Error(err)
		return
	}
	body, err := io.ReadAll(unpacked)
	if err != nil {
		c.t.Error(err)
	}
	var message metricspb.MetricsData
	if err := proto.Unmarshal(body, &message); err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	strict(c.t, &message, c.last)
	c.last = &message
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(c.answer)
}

func export(t *testing.T, address string, timeout time.Duration) *report.Outcome {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o := reporttest.Outcome()
	x := New(Options{Endpoint: u, Headers: map[string]string{"Api-Key": "k"}, Attributes: map[string]string{"env": "ci"}, Timeout: timeout})
	if err := reporttest.Feed(x, reporttest.Run(reporttest.Dir), o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestExport(t *testing.T) {
	c := &collector{t: t}
	server := httptest.NewServer(c)
	defer server.Close()
	if o := export(t, server.URL, 0); len(o.Notices) > 0 {
		t.Error(o.Notices)
	}
	resource := c.last.GetResourceMetrics()[0]
	var names []string
	for _, a := range resource.GetResource().GetAttributes() {
		names = append(names, a.GetKey()+"="+a.GetValue().GetStringValue())
	}
	for _, want := range []string{"service.name=stacrun", "service.version=1.2.3", "env=ci"} {
		if !strings.Contains(strings.Join(names, " "), want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
	snap := reporttest.Snapshot(reporttest.Intervals())
	run := reporttest.Run(reporttest.Dir)
	metric := map[string]*metricspb.Metric{}
	for _, m := range resource.GetScopeMetrics()[0].GetMetrics() {
		metric[m.GetName()] = m
	}
	requests := metric["stacrun.requests"].GetSum()
	if !requests.GetIsMonotonic() || requests.GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE || metric["stacrun.requests"].GetUnit() != "{request}" {
		t.Error(metric["stacrun.requests"])
	}
	var finished, warm int64
	for _, p := range requests.GetDataPoints() {
		if p.GetStartTimeUnixNano() != uint64(run.Started.UnixNano()) || p.GetTimeUnixNano() != uint64(run.Started.Add(10*time.Second).UnixNano()) {
			t.Errorf("times of %v", p)
		}
		for _, a := range p.GetAttributes() {
			switch {
			case a.GetKey() == "stacrun.warm_up" && a.GetValue().GetBoolValue():
				warm += p.GetAsInt()
			case a.GetKey() == "stacrun.warm_up":
				finished += p.GetAsInt()
			case a.GetKey() == "http.response.status_code" && a.GetValue().GetIntValue() == 0 && p.GetAsInt() != 5:
				t.Errorf("without an answer: %v", p)
			}
		}
	}
	if finished != snap.Total().Finished || warm != 1 {
		t.Errorf("%d requests and %d of the warm-up", finished, warm)
	}
	row := snap.Label("browse", "GET /search")
	seen := false
	for _, p := range metric["stacrun.request.response_time"].GetExponentialHistogram().GetDataPoints() {
		n := p.GetZeroCount()
		for _, count := range p.GetPositive().GetBucketCounts() {
			n += count
		}
		if n != p.GetCount() || len(p.GetPositive().GetBucketCounts()) > mostBuckets {
			t.Errorf("%d values in buckets, %d in all", n, p.GetCount())
		}
		if p.GetCount() == uint64(row.Finished) && p.GetSum() == float64(row.Response.Total)/1e9 {
			seen = p.GetMin() == .01 && p.GetMax() == .1
		}
	}
	if !seen || metric["stacrun.request.response_time"].GetUnit() != "s" {
		t.Error("the histogram of GET /search is missing or wrong")
	}
	if g := metric["stacrun.generator.cpu"].GetGauge().GetDataPoints(); len(g) != 1 || g[0].GetAsDouble() != 0.25 {
		t.Error(g)
	}
}

func TestPartialSuccess(t *testing.T) {
	var partial, answer []byte
	partial = protowire.AppendVarint(protowire.AppendTag(partial, 1, protowire.VarintType), 7)
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), "too old")
	answer = protowire.AppendBytes(protowire.AppendTag(answer, 1, protowire.BytesType), partial)
	server := httptest.NewServer(&collector{t: t, answer: answer})
	defer server.Close()
	o := export(t, server.URL+"/", 0)
	if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "7 data points were rejected: too old") {
		t.Error(o.Notices)
	}
	for _, broken := range [][]byte{nil, {0xff}, answer[:5], []byte("<html>")} {
		if n, _ := rejected(broken); n > 7 {
			t.Errorf("%x: %d", broken, n)
		}
	}
}

func TestDeadAndHanging(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hanging := export(t, "http://"+listener.Addr().String(), 100*time.Millisecond)
	listener.Close()
	dead := export(t, "http://"+ports.Dead(t), 0)
	for _, o := range []*report.Outcome{hanging, dead} {
		if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "exports were not delivered") || len(o.Errors) > 0 {
			t.Error(o.Notices)
		}
	}
}
