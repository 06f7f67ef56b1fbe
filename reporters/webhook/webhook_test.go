package webhook

import (
	"context"
	"encoding/json"
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
	"go.uber.org/goleak"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hook collects bodies; it answers with a status, 200 when that is 0.
type hook struct {
	t      *testing.T
	status int
	mu     sync.Mutex
	bodies []string
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || r.URL.Path != "/services/T0/secret" || r.Header.Get("Content-Type") != "application/json" {
		h.t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bodies = append(h.bodies, string(body))
	if h.status != 0 {
		w.WriteHeader(h.status)
	}
}

func run(t *testing.T, server string, o Options, outcome *report.Outcome) {
	t.Helper()
	u, err := url.Parse(server + "/services/T0/secret")
	if err != nil {
		t.Fatal(err)
	}
	o.URL = u
	if err := reporttest.Feed(New(o), reporttest.Run(reporttest.Dir), outcome); err != nil {
		t.Fatal(err)
	}
}

func TestMessages(t *testing.T) {
	h := &hook{t: t}
	server := httptest.NewServer(h)
	defer server.Close()
	run(t, server.URL, Options{On: []string{Criterion, End}}, reporttest.Outcome())
	if len(h.bodies) != 2 { // the criterion triggers once, and tells of it once
		t.Fatalf("%d messages: %v", len(h.bodies), h.bodies)
	}
	var triggered, ended Message
	for i, m := range []*Message{&triggered, &ended} {
		decoder := json.NewDecoder(strings.NewReader(h.bodies[i]))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(m); err != nil {
			t.Fatalf("%v in %s", err, h.bodies[i])
		}
	}
	if triggered.Event != "criterion" || triggered.Text != "search: criterion triggered after 00:01\nfailed: p95 of GET /search>50ms for 3s, observed 100ms, limit <= 50ms" {
		t.Errorf("%+v", triggered)
	}
	want := `search: failed, a criterion failed
130 requests in 00:10 (13.0/s), 11.5% failed, p50 50ms, p95 1.5s, p99 1.5s
failed: p95 of GET /search>50ms for 3s, observed 100ms, limit <= 50ms
not evaluated: hits of checkout<1, limit >= 1
noticed: avg-rt>1ms, continue as non-failed, observed 158ms, limit <= 1ms`
	if diff := cmp.Diff(want, ended.Text); diff != "" {
		t.Error(diff)
	}
	total := reporttest.Snapshot(reporttest.Intervals()).Total()
	if ended.Event != "end" || ended.Outcome != "failed" || *ended.ExitCode != 3 || ended.Requests.Finished != total.Finished ||
		ended.Requests.Failed != total.Failed || ended.Requests.P95 != total.Response.Quantile(95)/1e6 || len(ended.Criteria) != 3 {
		t.Errorf("%+v %+v", ended, ended.Requests)
	}
}

func TestSlack(t *testing.T) {
	h := &hook{t: t}
	server := httptest.NewServer(h)
	defer server.Close()
	run(t, server.URL, Options{On: []string{Failure}, Slack: true}, reporttest.Outcome())
	passed := reporttest.Outcome()
	passed.Result, passed.ExitCode, passed.Reason, passed.Verdicts = report.ResultPassed, 0, "", nil
	run(t, server.URL, Options{On: []string{Failure}, Slack: true}, passed) // nothing to tell
	run(t, server.URL, Options{On: []string{End}, Slack: true}, passed)
	if len(h.bodies) != 2 {
		t.Fatalf("%d messages: %v", len(h.bodies), h.bodies)
	}
	var message map[string]string
	if err := json.Unmarshal([]byte(h.bodies[0]), &message); err != nil || len(message) != 1 {
		t.Fatal(err, message)
	}
	if text := message["text"]; !strings.HasPrefix(text, ":x: *search: failed, a criterion failed*\n• 130 requests") || !strings.Contains(text, "GET /search&gt;50ms") {
		t.Error(text)
	}
	if !strings.Contains(h.bodies[1], ":white_check_mark: *search: passed*") {
		t.Error(h.bodies[1])
	}
}

func TestLosses(t *testing.T) {
	h := &hook{t: t, status: http.StatusForbidden}
	server := httptest.NewServer(h)
	o := Options{On: []string{End}, Timeout: 100 * time.Millisecond}
	refused, dead, hanging := reporttest.Outcome(), reporttest.Outcome(), reporttest.Outcome()
	run(t, server.URL, o, refused)
	server.Close()
	run(t, "http://"+ports.Dead(t), o, dead)
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	run(t, "http://"+listener.Addr().String(), o, hanging)
	for name, outcome := range map[string]*report.Outcome{"status 403": refused, "refused": dead, "in time": hanging} {
		if len(outcome.Notices) != 1 || !strings.Contains(outcome.Notices[0], "1 of 1 messages were not delivered") ||
			!strings.Contains(outcome.Notices[0], name) || strings.Contains(outcome.Notices[0], "secret") || len(outcome.Errors) > 0 {
			t.Errorf("%s: %v", name, outcome.Notices)
		}
	}
}
