package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// seen is a server that keeps what it was sent.
type seen struct {
	*httptest.Server
	mu   sync.Mutex
	got  []string
	hits atomic.Int64
}

func newSeen(t testing.TB, handle http.HandlerFunc) *seen {
	s := &seen{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		line := r.Method + " " + r.RequestURI
		for _, h := range []string{"Content-Type", "Authorization", "Cookie", "X-Own"} {
			if v := r.Header.Get(h); v != "" {
				line += " " + h + "=" + v
			}
		}
		if len(body) > 0 {
			line += " [" + string(body) + "]"
		}
		s.mu.Lock()
		s.got = append(s.got, line)
		s.mu.Unlock()
		if handle != nil {
			handle(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *seen) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = nil
}

// script runs requests once, one user, against the server.
func script(t *testing.T, s *seen, text string) *metrics.Snapshot {
	t.Helper()
	return runPlan(t, compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios:\n  s:\n    default-address: %q\n%s", s.URL, text)), RunOptions{})
}

func wantSeen(t *testing.T, s *seen, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.got); diff != "" {
		t.Errorf("what the server saw (-want +got):\n%s", diff)
	}
}

func TestRedirects(t *testing.T) {
	other := newSeen(t, nil)
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/see":
			w.Header().Set("Location", "/done?a=%7Eb")
			w.WriteHeader(303)
		case "/found":
			w.Header().Set("Location", "done")
			w.WriteHeader(302)
		case "/keep":
			w.Header().Set("Location", "/done")
			w.WriteHeader(307)
		case "/away":
			w.Header().Set("Location", other.URL+"/there")
			w.WriteHeader(308)
		case "/loop":
			w.Header().Set("Location", "/loop")
			w.WriteHeader(302)
		case "/nowhere":
			w.WriteHeader(302)
		}
	})
	snap := script(t, s, `
    headers: {X-Own: mine}
    authorization: {mechanism: basic, name: u, password: p}
    requests:
    - {url: /see, method: POST, body: abc, headers: {Content-Type: text/plain}}
    - {url: /found, method: POST, body: abc}
    - {url: /keep, method: PUT, body: abc}
    - {url: /away, method: POST, body: abc, headers: {Cookie: a=b}}
    - {url: /see, follow-redirects: false}
    - {url: /nowhere}
`)
	auth := " Authorization=Basic dTpw"
	wantSeen(t, s,
		"POST /see Content-Type=text/plain"+auth+" X-Own=mine [abc]", "GET /done?a=%7Eb"+auth+" X-Own=mine",
		"POST /found"+auth+" X-Own=mine [abc]", "GET /done"+auth+" X-Own=mine",
		"PUT /keep"+auth+" X-Own=mine [abc]", "PUT /done"+auth+" X-Own=mine [abc]",
		"POST /away"+auth+" Cookie=a=b X-Own=mine [abc]",
		"GET /see"+auth+" X-Own=mine", "GET /nowhere"+auth+" X-Own=mine")
	wantSeen(t, other, "POST /there X-Own=mine [abc]")
	if total := snap.Total(); total.Finished != 6 || total.Failed != 0 || total.Exchanges != 10 {
		t.Errorf("finished %d, failed %d, exchanges %d; want 6, 0, 10", total.Finished, total.Failed, total.Exchanges)
	}
	s.forget()
	snap = script(t, s, "    requests: [{url: /loop, max-redirects: 3}]\n")
	if total := snap.Total(); total.Failed != 1 || total.Exchanges != 4 || total.Faults[metrics.FaultProtocol] != 1 {
		t.Errorf("endless redirect: failed %d, exchanges %d, faults %v", total.Failed, total.Exchanges, total.Faults)
	}
}

func TestCookiesArePerUser(t *testing.T) {
	var next atomic.Int64
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("id"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: fmt.Sprint(next.Add(1))})
		}
	})
	runPlan(t, compile(t, fmt.Sprintf(`
execution: [{concurrency: 3, iterations: 4, scenario: s}]
scenarios: {s: {default-address: %q, requests: [/]}}
`, s.URL)), RunOptions{})
	if got := next.Load(); got != 3 {
		t.Errorf("%d cookies were given out, want one for each of 3 users", got)
	}
	s.forget()
	script(t, s, "    store-cookie: false\n    requests: [/, /]\n")
	wantSeen(t, s, "GET /", "GET /")
}

func TestCookiesOfTheFile(t *testing.T) {
	s := newSeen(t, nil)
	script(t, s, "    cookies: [{name: a, value: b, domain: 127.0.0.1, path: /in}]\n    requests: [/in/x, /out]\n")
	wantSeen(t, s, "GET /in/x Cookie=a=b", "GET /out")
}

func TestBodies(t *testing.T) {
	s := newSeen(t, nil)
	script(t, s, `
    variables: {n: 7, name: "a\"b", list: [1, 2]}
    requests:
    - {url: /1, method: POST, body: "raw ${n}"}
    - {url: /2, method: POST, headers: {Content-Type: application/json}, body: {n: "${n}", s: "x${n}", name: "${name}", list: "${list}", t: true, f: 1.50}}
    - {url: /3, method: POST, body: {a: "x y&z", n: "${n}"}}
    - {url: "/4?q=1", body: {a: "x y&z"}}
    - {url: "/5/${name}?q=${name}"}
    - {url: /6, method: POST}
    - {url: /7, method: DELETE}
`)
	wantSeen(t, s,
		"POST /1 [raw 7]",
		`POST /2 Content-Type=application/json [{"n":7,"s":"x7","name":"a\"b","list":[1,2],"t":true,"f":1.50}]`,
		"POST /3 Content-Type=application/x-www-form-urlencoded [a=x+y%26z&n=7]",
		"GET /4?q=1&a=x+y%26z",
		"GET /5/a%22b?q=a%22b",
		"POST /6", "DELETE /7")
}

func TestStatusRules(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.WriteHeader(code)
	})
	snap := script(t, s, `
    requests:
    - /200
    - {url: /404, label: bad}
    - {url: /404, label: fine, accept: [404]}
    - {url: /304, label: unchanged}
    - {url: /200, label: also, accept: [404, 5xx]}
    - {url: /200, label: created, accept: [201]}
    - {url: /404, label: either, accept: [200, 404]}
    - {url: /503, label: all but errors, accept: [2xx, 5xx]}
`)
	if snap.Label("", "bad").Failed != 1 || snap.Label("", "fine").Failed != 0 || snap.Label("", "unchanged").Failed != 0 {
		t.Errorf("failed: bad %d, fine %d, unchanged %d", snap.Label("", "bad").Failed, snap.Label("", "fine").Failed, snap.Label("", "unchanged").Failed)
	}
	for label, failed := range map[string]int64{"also": 0, "created": 1, "either": 0, "all but errors": 0} {
		if got := snap.Label("", label).Failed; got != failed {
			t.Errorf("%s: %d failed, want %d", label, got, failed)
		}
	}
	if e := snap.Errors(); len(e) != 2 || e[0].Text != "status 404" || e[0].Fault != metrics.FaultStatus {
		t.Errorf("errors: %+v", e)
	}
}

func TestCountsUnderResets(t *testing.T) {
	var served atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := served.Add(1); n % 5 {
		case 1:
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close() // a reset
		case 2:
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
			_ = conn.Close()
		case 3:
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "this is not HTTP\r\n\r\n")
			_ = conn.Close()
		}
	}))
	defer srv.Close()
	plan := compile(t, fmt.Sprintf(`
execution: [{concurrency: 5, iterations: 100, scenario: s}]
scenarios: {s: {default-address: %q, requests: [{url: /, method: POST, body: x}]}}
`, srv.URL))
	snap := runPlan(t, plan, RunOptions{})
	total := snap.Total()
	if total.Finished != 500 || total.Exchanges != served.Load() {
		t.Errorf("finished %d, exchanges %d, but the server saw %d", total.Finished, total.Exchanges, served.Load())
	}
	if total.Failed != 300 {
		t.Errorf("%d failed, want 300: %v", total.Failed, total.Faults)
	}
}

func TestGracefulStopLetsRequestsFinish(t *testing.T) {
	begun, release := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-release
	}))
	defer srv.Close()
	plan := compile(t, fmt.Sprintf("execution: [{concurrency: 2, hold-for: 1h, scenario: s}]\nscenarios: {s: {default-address: %q, requests: [/a, /b]}}\n", srv.URL))
	e := New(plan, RunOptions{})
	go func() {
		<-begun
		<-begun
		e.Stop("enough")
		close(release)
	}()
	snap, err := runEngine(t, e)
	if err != nil {
		t.Fatal(err)
	}
	if r, it := snap.Requests(), snap.Iterations(); r.Finished != 2 || r.Interrupted != 0 || it.Interrupted != 2 {
		t.Errorf("requests %+v, iterations %+v", r, it)
	}
	if e.Reason() != "enough" {
		t.Errorf("reason %q", e.Reason())
	}
}

func TestHardStopCutsRequests(t *testing.T) {
	begun, release := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-release
	}))
	defer srv.Close()
	defer close(release)
	for _, how := range []string{"abort", "context", "graceful-stop over"} {
		t.Run(how, func(t *testing.T) {
			plan := compile(t, fmt.Sprintf("execution: [{concurrency: 2, hold-for: 1h, graceful-stop: 50ms, scenario: s}]\nscenarios: {s: {default-address: %q, requests: [/a]}}\n", srv.URL))
			e := New(plan, RunOptions{})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				<-begun
				<-begun
				switch how {
				case "abort":
					e.Abort("now")
				case "context":
					cancel()
				default:
					e.Stop("slowly")
				}
			}()
			out, err := e.Start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			snap := metrics.NewSnapshot()
			for iv := range out {
				snap.Add(iv)
			}
			if err := snap.Reconcile(); err != nil {
				t.Error(err)
			}
			if r, it := snap.Requests(), snap.Iterations(); r.Finished != 0 || r.Interrupted != 2 || it.Interrupted != 2 {
				t.Errorf("requests %+v, iterations %+v", r, it)
			}
		})
	}
}

func TestPrepareAndFinish(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(500)
		}
	})
	snap := runPlan(t, compile(t, fmt.Sprintf(`
execution:
- scenario: s
  concurrency: 2
  iterations: 1
  prepare: [{url: /make, method: PUT}, {set-variables: {id: made}}]
  finish: [{url: "/drop/${id}", method: DELETE}]
scenarios: {s: {default-address: %q, requests: ["/use/${id}"]}}
`, s.URL)), RunOptions{})
	wantSeen(t, s, "PUT /make", "GET /use/made", "GET /use/made", "DELETE /drop/made")
	if got := snap.Total().Finished; got != 2 {
		t.Errorf("%d requests in the measured window, want 2", got)
	}
	s.forget()
	e := New(compile(t, fmt.Sprintf(`
execution: [{scenario: s, prepare: [/broken]}]
scenarios: {s: {default-address: %q, requests: [/use]}}
`, s.URL)), RunOptions{})
	if _, err := runEngine(t, e); err == nil || !strings.Contains(err.Error(), "prepare of s failed") {
		t.Errorf("error %v, want one about prepare", err)
	}
	wantSeen(t, s, "GET /broken")
}

func TestFollowLinks(t *testing.T) {
	s := newSeen(t, nil)
	text := "    variables: {next: 'http://inside:8080/page?token=2'}\n    requests: [{url: '${next}', label: next}]\n"
	if snap := script(t, s, text); snap.Total().Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
	wantSeen(t, s, "GET /page?token=2")
	if snap := script(t, s, "    timeout: 100ms\n    follow-links: as-given\n"+text); snap.Total().Failed != 1 {
		t.Error("a link that was to be followed as given went elsewhere")
	}
}

func TestOnceRunIsOneIteration(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	plan := compile(t, fmt.Sprintf("execution: [{concurrency: 10, hold-for: 1h, scenario: s}]\nscenarios: {s: {default-address: %q, think-time: 1h, requests: [/a, {url: /b, method: POST, body: x}]}}\n", s.URL))
	tr := &traces{}
	runPlan(t, plan, RunOptions{Once: true, Tracer: tr})
	if len(tr.all) != 2 || tr.all[0].Status != 200 || !strings.HasPrefix(string(tr.all[0].Request), "GET /a HTTP/1.1\r\nHost: 127.0.0.1") {
		t.Fatalf("%d traces: %+v", len(tr.all), tr.all)
	}
	if b := tr.all[1]; string(b.Request[b.RequestHead:]) != "x" || b.Label != "/b" || string(b.ResponseBody) != "hello" {
		t.Errorf("trace %+v", b)
	}
}

type traces struct {
	mu  sync.Mutex
	all []Trace
}

func (t *traces) Exchange(one Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, one)
}

func TestRunTakesASecondAtATime(t *testing.T) {
	s := newSeen(t, nil)
	plan := compile(t, fmt.Sprintf("execution: [{concurrency: 1, hold-for: 1100ms, throughput: 50, scenario: s}]\nscenarios: {s: {default-address: %q, requests: [/]}}\n", s.URL))
	e := New(plan, RunOptions{})
	out, err := e.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var seconds []int64
	for iv := range out {
		seconds = append(seconds, iv.Second)
		if len(iv.Load) != 1 {
			t.Errorf("load of %d executions", len(iv.Load))
		}
	}
	if diff := cmp.Diff([]int64{0, 1}, seconds); diff != "" {
		t.Error(diff)
	}
}

func TestAddressThatIsMadeAtRunTime(t *testing.T) {
	s := newSeen(t, nil)
	address := strings.TrimPrefix(s.URL, "http://")
	for _, text := range []string{
		"    default-address: 'http://${host}/api'\n    requests: [/a, 'b?c=${n}']\n",
		"    properties: {h: '" + address + "'}\n    default-address: 'http://${__P(h)}/api'\n    requests: [/a, 'b?c=${n}']\n",
		"    requests: ['http://${host}/api/a', 'http://${host}/api/b?c=${n}']\n",
		"    variables: {}\n    requests: ['" + s.URL + "/api/a', '" + s.URL + "/api/b?c=${n}#top']\n",
	} {
		s.forget()
		if !strings.Contains(text, "variables") {
			text = "    variables: {host: '" + address + "', n: 1}\n" + text
		} else {
			text = strings.Replace(text, "{}", "{n: 1}", 1)
		}
		runPlan(t, compile(t, "execution: [{scenario: s}]\nscenarios:\n  s:\n"+text), RunOptions{})
		wantSeen(t, s, "GET /api/a", "GET /api/b?c=1")
	}
}
