package jsonlines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// check reads lines strictly and compares their sums with the snapshot's.
func check(t *testing.T, text []byte) {
	t.Helper()
	counts, finished := map[string]int{}, map[string]int64{}
	var p95 float64
	first, last := "", ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var line struct {
			Type     string
			Label    string
			Kind     string
			WarmUp   bool `json:"warm_up"`
			Second   int64
			Finished int64
			Codes    map[string]int64
			Response *times `json:"response_ms"`
			Time     time.Time
			Outcome  string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		if line.Time.IsZero() {
			t.Errorf("no time in %s", lines.Text())
		}
		counts[line.Type]++
		if first == "" {
			first = line.Type
		}
		last = line.Type + " " + line.Outcome
		if line.Type == "traffic" && !line.WarmUp {
			finished[line.Kind+" "+line.Label] += line.Finished
			if line.Label == "GET /search" && line.Second == 3 {
				p95 = line.Response.P95
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"run": 1, "traffic": 41, "load": 10, "generator": 10, "end": 1}, counts); diff != "" {
		t.Error(diff)
	}
	if first != "run" || last != "end failed" {
		t.Errorf("from %q to %q", first, last)
	}
	for _, row := range reporttest.Snapshot(reporttest.Intervals()).Rows() {
		if name := report.KindName(row.Kind) + " " + row.Label; finished[name] != row.Finished {
			t.Errorf("%s: %d, want %d", name, finished[name], row.Finished)
		}
	}
	if want := reporttest.Intervals()[3].Row("browse", 0, "GET /search").Response.Quantile(95) / 1e6; p95 != want {
		t.Errorf("p95 %v, want %v", p95, want)
	}
}

func run(t *testing.T, dir string, o Options) *report.Outcome {
	t.Helper()
	outcome := reporttest.Outcome()
	if err := reporttest.Feed(New(o), reporttest.Run(dir), outcome); err != nil {
		t.Fatal(err)
	}
	return outcome
}

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	o := run(t, dir, Options{})
	name := filepath.Join(dir, "metrics.jsonl")
	if diff := cmp.Diff([]report.Artifact{{Path: name, Kind: "json lines"}}, o.Files); diff != "" {
		t.Error(diff)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	check(t, text)
	if err := New(Options{Filename: dir}).Begin(report.Run{}); err == nil {
		t.Error("a folder was taken for a file")
	}
}

func TestStdout(t *testing.T) {
	var out bytes.Buffer
	run(t, "", Options{Filename: "-", Stdout: &out})
	check(t, out.Bytes())
	o := run(t, "", Options{Filename: "-", Stdout: &reporttest.Full{Room: 10}})
	if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "no space left") {
		t.Error(o.Notices)
	}
}

func TestHTTP(t *testing.T) {
	var mu sync.Mutex
	var text []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		text = append(text, body...)
		if r.Header.Get("Content-Type") != "application/x-ndjson" || r.Header.Get("X-Key") != "k" {
			t.Error(r.Header)
		}
	}))
	defer server.Close()
	if o := run(t, "", Options{URL: address(t, server.URL), Headers: map[string]string{"X-Key": "k"}}); len(o.Notices) > 0 {
		t.Error(o.Notices)
	}
	check(t, text)
}

func TestTCP(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan []byte)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		text, _ := io.ReadAll(conn)
		received <- text
	}()
	if o := run(t, "", Options{URL: address(t, "tcp://"+listener.Addr().String())}); len(o.Notices) > 0 {
		t.Error(o.Notices)
	}
	check(t, <-received)
	listener.Close()
}

// TestTCPReconnects is a receiver that hangs up after each message.
func TestTCPReconnects(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	j := New(Options{URL: address(t, "tcp://"+listener.Addr().String())})
	items := []item{{run: &report.Run{Name: "x"}}}
	for range 2 {
		if err := j.send(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, `"name":"x"`) {
			t.Errorf("%q %v", line, err)
		}
		conn.Close()
		for !gone(j.conn) { // it takes a moment until word of it is here
			time.Sleep(time.Millisecond)
		}
	}
	j.conn.Close()
}

func TestLosses(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hanging := run(t, "", Options{URL: address(t, "http://"+listener.Addr().String()+"/secret"), Timeout: 100 * time.Millisecond})
	listener.Close()
	dead := ports.Dead(t)
	for _, o := range []*report.Outcome{
		hanging,
		run(t, "", Options{URL: address(t, "tcp://"+dead)}),
		run(t, "", Options{URL: address(t, "http://"+dead+"/secret")}),
	} {
		if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "12 of 12 messages were not delivered") || strings.Contains(o.Notices[0], "secret") {
			t.Error(o.Notices)
		}
	}
}

// A capped load also tells what the cap let begin and what began; another one does not.
func TestCappedLoad(t *testing.T) {
	var texts []string
	for _, l := range []metrics.Load{{Execution: "cap", RequestsPlanned: 20, RequestsAdmitted: 15, RequestsStarted: 15}, {Execution: "free", RequestsStarted: 5}} {
		text, err := json.Marshal(newLoad(place{}, &l))
		if err != nil {
			t.Fatal(err)
		}
		_, requests, _ := strings.Cut(string(text), `"requests_started":`)
		texts = append(texts, requests)
	}
	if diff := cmp.Diff([]string{`15,"requests_planned":20,"requests_admitted":15}`, "5}"}, texts); diff != "" {
		t.Error(diff)
	}
}

// What fell due in the warm-up is told beside the whole.
func TestWarmUpOfALoad(t *testing.T) {
	text, err := json.Marshal(newLoad(place{}, &metrics.Load{
		Execution: "open", Open: true, Scheduled: 10, Started: 6, Finished: 5, Interrupted: 1, Dropped: [metrics.DropCount]int64{4}, RequestsStarted: 9, RequestsPlanned: 8, RequestsAdmitted: 7,
		Throttled: 3e9,
		WarmUp: metrics.LoadPart{
			Scheduled: 5, Started: 2, Finished: 1, Interrupted: 1, Dropped: [metrics.DropCount]int64{3}, RequestsStarted: 3, RequestsPlanned: 4,
			RequestsAdmitted: 1, Throttled: 1e9,
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(text), `"requests_admitted":7,`)
	want := `"iterations_scheduled_warm_up":5,"iterations_started_warm_up":2,"iterations_finished_warm_up":1,"iterations_interrupted_warm_up":1,` +
		`"iterations_dropped_warm_up":{"waited-too-long":3},"requests_started_warm_up":3,"requests_planned_warm_up":4,"requests_admitted_warm_up":1}`
	if got != want || !strings.Contains(string(text), `"iterations_scheduled":10`) {
		t.Errorf("%s", text)
	}
}
