package outlet

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// TestFamiliesEqualTheSnapshot adds every figure up and compares it with the snapshot's own.
func TestFamiliesEqualTheSnapshot(t *testing.T) {
	ledger := NewLedger(reporttest.Run(reporttest.Dir))
	for _, iv := range reporttest.Intervals() {
		ledger.Add(iv, reporttest.Verdicts())
	}
	got := map[string]float64{}
	counts := map[string]uint64{}
	for _, f := range ledger.Read(Shape{Limits: DefaultLimits()}) {
		for _, p := range f.Points {
			warm := ""
			for _, l := range p.Labels {
				if l == (Label{"warm_up", "true"}) {
					warm = "/warm"
				}
			}
			got[f.Name+warm] += p.Value
			if p.Distribution != nil {
				counts[f.Name+warm] += p.Distribution.Count
				got[f.Name+warm] += p.Distribution.Sum
			}
		}
	}
	snap := reporttest.Snapshot(reporttest.Intervals())
	total := snap.Total()
	want := map[string]float64{
		"requests": float64(total.Finished), "request.failures": float64(total.Failed), "request.faults": float64(total.Failed),
		"request.interruptions": float64(total.Interrupted), "request.sent": float64(total.BytesOut), "request.received": float64(total.BytesIn),
		"request.exchanges": float64(total.Exchanges), "requests/warm": 1, "transactions": 10,
		"requests.started": float64(snap.RequestsOf(false).Started), "iterations.started": float64(snap.IterationsOf(false).Started),
		"requests.started/warm": 1, "iterations.started/warm": 1, "iterations.dropped/warm": 1,
		"iterations.dropped": float64(snap.IterationsOf(false).Dropped), "iterations.interrupted": 2, "users": 4, "users.planned": 4,
		"request.service_time": float64(total.Service.Total) / 1e9, "generator.cpu": 0.25, "run.info": 1, "criterion.triggered": 2,
	}
	for name, value := range want {
		if math.Abs(got[name]-value) > 1e-9*value {
			t.Errorf("%s: %v, want %v", name, got[name], value)
		}
	}
	if counts["request.service_time"] != uint64(total.Finished) || counts["request.connect_time"] != uint64(total.Connect.Count) {
		t.Errorf("counts of distributions: %v", counts)
	}
}

func TestShape(t *testing.T) {
	var s metrics.Series
	for _, ms := range []int64{0, 5, 10, 10, 100, 5000} {
		s.Record(ms * 1e6)
	}
	d := Shape{Limits: []float64{.005, .01, .1, 1}, Sparse: true, Scale: 3}.of(&s)
	if diff := cmp.Diff([]uint64{2, 4, 5, 5}, d.Below); diff != "" {
		t.Error(diff)
	}
	if d.Count != 6 || d.Zero != 1 || math.Abs(d.Sum-5.125) > 1e-12 || d.Max != 5 {
		t.Errorf("%+v", d)
	}
	values := map[int]bool{}
	for _, b := range d.Buckets {
		values[b.Index] = true
	}
	for _, v := range []float64{.005, .01, .1, 5} {
		index := int(math.Ceil(math.Log2(v)*8)) - 1
		low, high := math.Exp2(float64(index)/8), math.Exp2(float64(index+1)/8)
		if !values[index] || v <= low || v > high {
			t.Errorf("%v s: bucket %d (%v, %v] is not among %v", v, index, low, high, d.Buckets)
		}
	}
	few := Shape{Sparse: true, Scale: 8, MaxCount: 20}.of(&s)
	if few.width() > 20 || few.Scale >= 3 {
		t.Errorf("%d buckets of scale %d", few.width(), few.Scale)
	}
	var n uint64
	for _, b := range few.Buckets {
		n += b.Count
	}
	if n+few.Zero != few.Count {
		t.Errorf("%d values in buckets, %d in all", n+few.Zero, few.Count)
	}
}

func TestLedgerWaitsForNobody(t *testing.T) {
	ledger := NewLedger(reporttest.Run(reporttest.Dir))
	ledger.reading.Lock() // a reader that takes its time
	for _, iv := range reporttest.Intervals() {
		ledger.Add(iv, nil)
	}
	ledger.reading.Unlock()
	for _, f := range ledger.Read(Shape{}) {
		if f.Name == "iterations.started" && f.Points[0].Value != 30 {
			t.Errorf("%v iterations", f.Points[0].Value)
		}
	}
}

func TestPost(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/secret/ok":
			w.WriteHeader(http.StatusNoContent)
		case "/secret/busy":
			http.Error(w, "later", http.StatusServiceUnavailable)
		case "/secret/moved":
			http.Redirect(w, r, "/secret/ok", http.StatusFound)
		default:
			http.Error(w, "no \x1b[31msuch\nthing", http.StatusNotFound)
		}
	}))
	defer server.Close()
	for _, tt := range []struct {
		path, want string
		permanent  bool
	}{
		{"ok", "", false},
		{"busy", "status 503 Service Unavailable: later", false},
		{"moved", "status 302 Found", true},
		{"lost", "status 404 Not Found: no  [31msuch thing", true},
	} {
		u, err := ParseURL(server.URL+"/secret/"+tt.path, "http")
		if err != nil {
			t.Fatal(err)
		}
		c := NewClient(u, map[string]string{"X-A": "b"})
		_, err = c.Post(context.Background(), []byte("x"), nil)
		c.Close()
		got := ""
		if err != nil {
			got = err.Error()
		}
		var permanent permanentError
		if got != tt.want || errors.As(err, &permanent) != tt.permanent {
			t.Errorf("%s: %q, permanent %v", tt.path, got, errors.As(err, &permanent))
		}
	}
	u, _ := ParseURL("http://"+ports.Dead(t)+"/secret", "http")
	c := NewClient(u, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := c.Post(ctx, nil, nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a dead receiver: %v", err)
	}
}

func TestParseURLHidesTheAddress(t *testing.T) {
	for _, text := range []string{"http://x/\x00token", "ftp://token", "token", "http:///token"} {
		if _, err := ParseURL(text, "http", "https"); err == nil || strings.Contains(err.Error(), "token") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A capped load also tells what the cap let begin and what began; another one does not.
func TestCappedLoad(t *testing.T) {
	ledger := NewLedger(reporttest.Run(reporttest.Dir))
	for range 2 {
		ledger.Add(&metrics.Interval{Load: []metrics.Load{
			{Execution: "cap", RequestsPlanned: 20, RequestsAdmitted: 15, RequestsStarted: 15}, {Execution: "free", RequestsStarted: 5},
		}}, nil)
	}
	got := map[string][]Point{}
	for _, f := range ledger.Read(Shape{Limits: DefaultLimits()}) {
		if f.Name == "requests.planned" || f.Name == "requests.admitted" {
			got[f.Name] = f.Points
		}
	}
	capped := []Label{{"execution", "cap"}, {"warm_up", "false"}}
	if diff := cmp.Diff(map[string][]Point{"requests.planned": {{Labels: capped, Value: 40}}, "requests.admitted": {{Labels: capped, Value: 30}}}, got); diff != "" {
		t.Error(diff)
	}
}

// What fell due in the warm-up stands apart, so that those behind it are what criteria judge.
func TestWarmUpOfALoad(t *testing.T) {
	ledger := NewLedger(reporttest.Run(reporttest.Dir))
	for range 2 {
		ledger.Add(&metrics.Interval{Load: []metrics.Load{{
			Execution: "open", Open: true, Scheduled: 10, Started: 6, Finished: 5, Interrupted: 1, Dropped: [metrics.DropCount]int64{4}, RequestsStarted: 9, RequestsPlanned: 8, RequestsAdmitted: 7,
			Throttled: 3e9,
			WarmUp: metrics.LoadPart{
				Scheduled: 5, Started: 2, Finished: 1, Interrupted: 1, Dropped: [metrics.DropCount]int64{3}, RequestsStarted: 3, RequestsPlanned: 4,
				RequestsAdmitted: 1, Throttled: 1e9,
			},
		}}}, nil)
	}
	got := map[string]float64{}
	for _, f := range ledger.Read(Shape{Limits: DefaultLimits()}) {
		for _, p := range f.Points {
			for _, l := range p.Labels {
				if l.Name == "warm_up" {
					got[f.Name+" "+l.Value] += p.Value
				}
			}
		}
	}
	want := map[string]float64{
		"iterations.scheduled false": 10, "iterations.scheduled true": 10, "iterations.started false": 8, "iterations.started true": 4,
		"iterations.finished false": 8, "iterations.finished true": 2, "iterations.interrupted false": 0, "iterations.interrupted true": 2,
		"requests.started false": 12, "requests.started true": 6, "throttled false": 4, "throttled true": 2,
		"iterations.dropped false": 2, "iterations.dropped true": 6, "requests.planned false": 8, "requests.planned true": 8,
		"requests.admitted false": 12, "requests.admitted true": 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
