package influx

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

	"github.com/google/go-cmp/cmp"
	"github.com/influxdata/line-protocol/v2/lineprotocol"
	"go.uber.org/goleak"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// point is a line as InfluxData's own parser reads it.
type point struct {
	measurement string
	tags        map[string]string
	fields      map[string]any
	at          time.Time
}

func parse(t *testing.T, text []byte) (points []point) {
	t.Helper()
	d := lineprotocol.NewDecoderWithBytes(text)
	for d.Next() {
		p := point{tags: map[string]string{}, fields: map[string]any{}}
		name, err := d.Measurement()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		p.measurement = string(name)
		for {
			key, value, err := d.NextTag()
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if key == nil {
				break
			}
			p.tags[string(key)] = string(value)
		}
		for {
			key, value, err := d.NextField()
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			if key == nil {
				break
			}
			p.fields[string(key)] = value.Interface()
		}
		if p.at, err = d.Time(lineprotocol.Millisecond, time.Time{}); err != nil {
			t.Fatal(err)
		}
		points = append(points, p)
	}
	return points
}

// server takes points as InfluxDB does.
type server struct {
	t      *testing.T
	mu     sync.Mutex
	points []point
	last   *http.Request
	status int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	unpacked, err := gzip.NewReader(r.Body)
	if err != nil {
		s.t.Error(err)
		return
	}
	body, err := io.ReadAll(unpacked)
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = r
	if s.status != 0 {
		http.Error(w, `{"code":"unauthorized"}`, s.status)
		return
	}
	s.points = append(s.points, parse(s.t, body)...)
	w.WriteHeader(http.StatusNoContent)
}

func run(t *testing.T, address string, o Options) *report.Outcome {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o.URL = u
	outcome := reporttest.Outcome()
	if err := reporttest.Feed(New(o), reporttest.Run(reporttest.Dir), outcome); err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestPointsEqualTheSnapshot(t *testing.T) {
	s := &server{t: t}
	fake := httptest.NewServer(s)
	defer fake.Close()
	if o := run(t, fake.URL, Options{Bucket: "b", Org: "o", Token: "secret", Tags: map[string]string{"env": "c i"}}); len(o.Notices) > 0 {
		t.Error(o.Notices)
	}
	if s.last.URL.Path != "/api/v2/write" || s.last.URL.RawQuery != "bucket=b&org=o&precision=ms" || s.last.Header.Get("Authorization") != "Token secret" {
		t.Error(s.last.URL, s.last.Header)
	}
	snap := reporttest.Snapshot(reporttest.Intervals())
	sums := map[string]int64{}
	started := reporttest.Run(reporttest.Dir).Started
	for _, p := range s.points {
		if p.tags["env"] != "c i" || p.tags["run"] != "search" {
			t.Errorf("tags %v", p.tags)
		}
		if second := p.at.Sub(started.Truncate(time.Millisecond)); second%time.Second != 0 || second < 0 || second > 9*time.Second {
			t.Errorf("time %v", p.at)
		}
		for name, value := range p.fields {
			if n, ok := value.(int64); ok && p.tags["warm_up"] != "true" {
				sums[strings.Join([]string{p.measurement, p.tags["kind"], p.tags["label"], name}, "|")] += n
			}
		}
	}
	for _, row := range snap.RequestRows() {
		label := row.Label
		want := map[string]int64{
			"stacrun_traffic|request|" + label + "|finished":       row.Finished,
			"stacrun_traffic|request|" + label + "|failed":         row.Failed,
			"stacrun_traffic|request|" + label + "|bytes_received": row.BytesIn,
			"stacrun_codes|request|" + label + "|count":            row.Finished,
			"stacrun_faults|request|" + label + "|count":           row.Failed,
			"stacrun_load|||iterations_started":                    snap.Iterations().Started,
		}
		for name, n := range want {
			if sums[name] != n {
				t.Errorf("%s: %d, want %d", name, sums[name], n)
			}
		}
	}
	second := reporttest.Intervals()[3]
	for _, p := range s.points {
		if p.measurement == "stacrun_traffic" && p.tags["label"] == "GET /search" && p.at.Equal(started.Truncate(time.Millisecond).Add(3*time.Second)) {
			row := second.Row("browse", metrics.RequestKind, "GET /search")
			got := []any{p.fields["response_p95_ms"], p.fields["response_mean_ms"], p.fields["response_max_ms"]}
			if diff := cmp.Diff([]any{row.Response.Quantile(95) / 1e6, 55.0, 100.0}, got); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestVersion1(t *testing.T) {
	s := &server{t: t}
	fake := httptest.NewServer(s)
	defer fake.Close()
	run(t, fake.URL+"/influx/", Options{Database: "d", RetentionPolicy: "week", Username: "u", Password: "p"})
	user, password, _ := s.last.BasicAuth()
	if s.last.URL.Path != "/influx/write" || s.last.URL.RawQuery != "db=d&precision=ms&rp=week" || user != "u" || password != "p" {
		t.Error(s.last.URL, s.last.Header)
	}
}

func TestHardNames(t *testing.T) {
	iv := &metrics.Interval{
		Source: "agent 1",
		Rows:   []metrics.Row{{Execution: `a,b=c d\`, Label: "x\ny\\,\"z\"=\u00e9", Finished: 1}},
		Events: []metrics.Event{{At: 1500e6, Kind: "stop", Text: `a "quoted" \ text` + "\nof two lines"}},
	}
	points := parse(t, appendInterval(nil, iv, time.Unix(1_800_000_000, 0), nil))
	if diff := cmp.Diff(map[string]string{"execution": "a,b=c d/", "kind": "request", "label": "x y/,\"z\"=\u00e9", "warm_up": "false", "agent": "agent 1"}, points[0].tags); diff != "" {
		t.Error(diff)
	}
	last := points[len(points)-1]
	if last.fields["text"] != `a "quoted" \ text of two lines` || last.at.UnixMilli() != 1_800_000_001_500 {
		t.Error(last)
	}
}

func TestLosses(t *testing.T) {
	s := &server{t: t, status: http.StatusUnauthorized}
	fake := httptest.NewServer(s)
	refusing := run(t, fake.URL, Options{Bucket: "b", Token: "secret"})
	fake.Close()
	dead := run(t, fake.URL, Options{Bucket: "b", Token: "secret"})
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	hanging := run(t, "http://"+listener.Addr().String(), Options{Bucket: "b", Timeout: 100 * time.Millisecond})
	for name, o := range map[string]*report.Outcome{"status 401": refusing, "refused": dead, "no answer in time": hanging} {
		if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "10 of 10 seconds were not delivered") || !strings.Contains(o.Notices[0], name) || strings.Contains(o.Notices[0], "secret") {
			t.Errorf("%s: %v", name, o.Notices)
		}
	}
}

// A capped load also tells what the cap let begin and what began; another one does not.
func TestCappedLoad(t *testing.T) {
	iv := &metrics.Interval{Load: []metrics.Load{
		{Execution: "cap", RequestsPlanned: 20, RequestsAdmitted: 15, RequestsStarted: 15}, {Execution: "free", RequestsStarted: 5},
	}}
	got := map[string][]any{}
	for _, p := range parse(t, appendInterval(nil, iv, time.Unix(0, 0), nil)) {
		if p.measurement == "stacrun_load" {
			got[p.tags["execution"]] = []any{p.fields["requests_planned"], p.fields["requests_admitted"]}
		}
	}
	if diff := cmp.Diff(map[string][]any{"cap": {int64(20), int64(15)}, "free": {nil, nil}}, got); diff != "" {
		t.Error(diff)
	}
}

// What fell due in the warm-up is told beside the whole; a second without it has no such field.
func TestWarmUpOfALoad(t *testing.T) {
	iv := &metrics.Interval{Load: []metrics.Load{{
		Execution: "open", Open: true, Scheduled: 10, Started: 6, Finished: 5, Interrupted: 1, Dropped: [metrics.DropCount]int64{4}, RequestsStarted: 9, RequestsPlanned: 8, RequestsAdmitted: 7,
		Throttled: 3e9,
		WarmUp: metrics.LoadPart{
			Scheduled: 5, Started: 2, Finished: 1, Interrupted: 1, Dropped: [metrics.DropCount]int64{3}, RequestsStarted: 3, RequestsPlanned: 4,
			RequestsAdmitted: 1, Throttled: 1e9,
		},
	}, {Execution: "late", Scheduled: 1}}}
	got := map[string]any{}
	for _, p := range parse(t, appendInterval(nil, iv, time.Unix(0, 0), nil)) {
		for name, v := range p.fields {
			if strings.HasSuffix(name, "_warm_up") || name == "iterations_scheduled" {
				got[p.tags["execution"]+" "+name] = v
			}
		}
	}
	want := map[string]any{
		"open iterations_scheduled": int64(10), "open iterations_scheduled_warm_up": int64(5), "open iterations_started_warm_up": int64(2),
		"open dropped_waited_too_long_warm_up": int64(3), "open dropped_ended_warm_up": int64(0),
		"open iterations_finished_warm_up": int64(1), "open iterations_interrupted_warm_up": int64(1), "open requests_started_warm_up": int64(3),
		"open throttled_ms_warm_up": 1000.0, "open requests_planned_warm_up": int64(4), "open requests_admitted_warm_up": int64(1), "late iterations_scheduled": int64(1),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
