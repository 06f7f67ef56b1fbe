package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// fake is a runner that only notes what it is asked for.
type fake struct {
	mu    sync.Mutex
	asked []string
	watch *Watch
}

func (f *fake) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, fmt.Sprintf(format, args...))
}

func (f *fake) Load([]string) (*config.File, diag.List) {
	return config.Load(context.Background(), []string{"a.yml"}, config.Options{FS: func(string) ([]byte, error) {
		return []byte("execution: [{concurrency: 4, hold-for: 1m, scenario: s}, {arrival-rate: 5, hold-for: 2m, scenario: s}]\n" +
			"scenarios: {s: {default-address: 'http://a.example', requests: [/]}}\nsettings: {seed: 7}\n"), nil
	}})
}

func (f *fake) Start(overrides []string, watch *Watch) diag.List {
	f.note("start %s", strings.Join(overrides, " "))
	if len(overrides) > 0 && overrides[0] == "bad" {
		var list diag.List
		list.Errorf("bad", diag.Pos{}, "x", "it is bad")
		return list
	}
	f.watch = watch
	_ = watch.Begin(reporttest.Run("/runs/one"))
	return nil
}

func (f *fake) Control(c Command) error {
	switch {
	case c.Users != nil && *c.Users > 100:
		return errors.New("too many")
	case c.Users != nil:
		f.note("%s %d users", c.Execution, *c.Users)
	case c.Rate != nil:
		f.note("%s %v/s", c.Execution, *c.Rate)
	default:
		f.note("%s %v %v %v", c.Execution, c.Pause, c.Resume, c.Stop)
	}
	return nil
}

func (f *fake) Stop(reason string) { f.note("%s", reason) }

func (f *fake) Past() ([]Past, error) { return []Past{{ID: "one", Name: "search"}, {ID: "two"}}, nil }

func (f *fake) Render(w io.Writer, form, id, before string) error {
	_, err := fmt.Fprintf(w, "%s of %s before %s", form, id, before)
	return err
}

func (f *fake) Log(w io.Writer, id string, _ int64) error {
	_, err := fmt.Fprintf(w, "log of %s", id)
	return err
}

func listen(t *testing.T, address string, o Options) (*Server, *fake) {
	t.Helper()
	f := &fake{}
	o.Runner, o.Name = f, "a.yml"
	s, err := Listen(address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, f
}

func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

// send sends a request as the page does, changed by change.
func send(t *testing.T, s *Server, method, path, body string, change func(*http.Request)) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.base()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(secretHeader, s.secret)
	if change != nil {
		change(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

func TestWhoMayDoWhat(t *testing.T) {
	s, _ := listen(t, "127.0.0.1:0", Options{Start: true})
	tests := []struct {
		name, method, path, body string
		change                   func(*http.Request)
		want                     int
	}{
		{name: "the page", method: "GET", path: "/", want: 200},
		{name: "another name for this machine", method: "GET", path: "/", change: func(r *http.Request) { r.Host = "localhost:8089" }, want: 200},
		{name: "a name that was made point here", method: "GET", path: "/", change: func(r *http.Request) { r.Host = "evil.example" }, want: 403},
		{name: "another origin reads", method: "GET", path: "/api/state", change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, want: 403},
		{name: "another origin starts", method: "POST", path: "/api/start", body: `{}`, change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, want: 403},
		{name: "no secret", method: "POST", path: "/api/start", body: `{}`, change: func(r *http.Request) { r.Header.Del(secretHeader) }, want: 403},
		{name: "an old secret", method: "POST", path: "/api/stop", body: `{}`, change: func(r *http.Request) { r.Header.Set(secretHeader, "x") }, want: 403},
		{name: "another site", method: "POST", path: "/api/stop", body: `{}`, change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, want: 403},
		{name: "nothing runs", method: "POST", path: "/api/stop", body: `{}`, want: 409},
		{name: "unknown field", method: "POST", path: "/api/start", body: `{"a": 1}`, want: 400},
		{name: "a part of a user", method: "POST", path: "/api/control", body: `{"do": "load", "concurrency": 1.5}`, want: 400},
		{name: "something behind it", method: "POST", path: "/api/control", body: `{"do": "pause"}{"do": "stop"}`, want: 400},
		{name: "no body", method: "POST", path: "/api/start", want: 400},
		{name: "a long body", method: "POST", path: "/api/start", body: `{"overrides": ["` + strings.Repeat("x", 70<<10) + `"]}`, want: 413},
		{name: "bad settings", method: "POST", path: "/api/start", body: `{"overrides": ["bad"]}`, want: 422},
		{name: "no such command", method: "POST", path: "/api/control", body: `{"do": "dance"}`, want: 400},
		{name: "a load without a level", method: "POST", path: "/api/control", body: `{"do": "load"}`, want: 400},
		{name: "refused by the run", method: "POST", path: "/api/control", body: `{"do": "load", "concurrency": 101}`, want: 409},
		{name: "a way out of the folder", method: "GET", path: "/runs/..%2f..%2fetc/report.html", want: 404},
		{name: "a run that is not there", method: "GET", path: "/runs/three/report.html", want: 404},
		{name: "compared with one that is not there", method: "GET", path: "/runs/one/report.html?before=three", want: 404},
		{name: "a file that is not there", method: "GET", path: "/runs/one/passwd", want: 404},
		{name: "the log of none", method: "GET", path: "/api/log/three", want: 404},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, text, _ := send(t, s, tt.method, tt.path, tt.body, tt.change)
			if code != tt.want {
				t.Errorf("%d, want %d: %s", code, tt.want, text)
			}
			if strings.Contains(text, "Go ") || strings.Contains(text, "web.") {
				t.Errorf("the answer speaks of our code: %s", text)
			}
		})
	}
}

func TestTokenOnOtherAddresses(t *testing.T) {
	if _, err := Listen("0.0.0.0:0", Options{Runner: &fake{}, Token: "short"}); err == nil || !strings.Contains(err.Error(), "use 12 at least") {
		t.Errorf("a short token: %v", err)
	}
	s, _ := listen(t, "0.0.0.0:0", Options{})
	if !strings.Contains(s.URL(), "?token="+s.token) || len(s.token) < minToken {
		t.Fatalf("the address %s has no token", s.URL())
	}
	address := strings.Replace(s.base(), "[::]", "127.0.0.1", 1)
	get := func(path string, change func(*http.Request)) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(r)
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	for _, path := range []string{"/", "/api/state", "/script.js", "/?token=wrong"} {
		if got := get(path, nil).StatusCode; got != http.StatusUnauthorized {
			t.Errorf("%s without the token: %d", path, got)
		}
	}
	first := get("/?token="+s.token, nil)
	if first.StatusCode != http.StatusSeeOther || first.Header.Get("Location") != "/" || len(first.Cookies()) != 1 {
		t.Fatalf("with the token: %s %v", first.Status, first.Header)
	}
	cookie := first.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie can be stolen: %v", cookie)
	}
	if got := get("/api/state", func(r *http.Request) { r.AddCookie(cookie); r.Host = "load.example" }).StatusCode; got != http.StatusOK {
		t.Errorf("with the cookie: %d", got)
	}
	if got := get("/api/state", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+s.token) }).StatusCode; got != http.StatusOK {
		t.Errorf("a program with the token: %d", got)
	}
}

func TestCommandsReachTheRunner(t *testing.T) {
	s, f := listen(t, "127.0.0.1:0", Options{Start: true})
	for _, step := range []struct {
		path, body string
		want       int
	}{
		{"start", `{"overrides": ["execution.0.concurrency=5", "settings.seed=1"]}`, 200},
		{"start", `{"overrides": []}`, 409}, // one at a time
		{"control", `{"do": "load", "execution": "browse", "concurrency": 9}`, 200},
		{"control", `{"do": "load", "arrival_rate": 2.5}`, 200},
		{"control", `{"do": "pause"}`, 200},
		{"control", `{"do": "resume"}`, 200},
		{"control", `{"do": "stop", "execution": "browse"}`, 200},
		{"stop", `{}`, 200},
	} {
		if code, text, _ := send(t, s, "POST", "/api/"+step.path, step.body, nil); code != step.want {
			t.Errorf("%s %s: %d %s", step.path, step.body, code, text)
		}
	}
	want := []string{
		"start execution.0.concurrency=5 settings.seed=1", "browse 9 users", " 2.5/s", " true false false", " false true false", "browse false false true", "stopped on the page",
	}
	if diff := cmp.Diff(want, f.asked); diff != "" {
		t.Error(diff)
	}
	f.watch.Done(&report.Outcome{Result: report.ResultPassed}, nil)
	if code, text, _ := send(t, s, "POST", "/api/start", `{"overrides": []}`, nil); code != http.StatusOK {
		t.Errorf("after the end: %d %s", code, text)
	}
}

func TestAPageOfARunStartsNothing(t *testing.T) {
	s, f := listen(t, "127.0.0.1:0", Options{})
	if code, _, _ := send(t, s, "POST", "/api/start", `{"overrides": []}`, nil); code != http.StatusForbidden {
		t.Errorf("%d", code)
	}
	if len(f.asked) > 0 {
		t.Errorf("asked for %v", f.asked)
	}
}

func TestSettings(t *testing.T) {
	s, _ := listen(t, "127.0.0.1:0", Options{Start: true})
	_, text, _ := send(t, s, "GET", "/api/settings", "", nil)
	var got struct{ Settings settings }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, g := range got.Settings.Groups {
		for _, f := range g.Fields {
			values[f.Path] = f.Value
		}
	}
	want := map[string]string{
		"execution.0.concurrency": "4", "execution.0.ramp-up": "", "execution.0.hold-for": "1m", "execution.0.iterations": "", "execution.0.throughput": "",
		"execution.1.arrival-rate": "5", "execution.1.ramp-up": "", "execution.1.hold-for": "2m", "execution.1.max-concurrency": "",
		"scenarios.s.default-address": "http://a.example", "settings.seed": "7",
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
}

func TestDownloads(t *testing.T) {
	s, _ := listen(t, "127.0.0.1:0", Options{})
	code, text, head := send(t, s, "GET", "/runs/one/junit.xml?save=1", "", nil)
	if code != http.StatusOK || text != "junit of one before " || head.Get("Content-Disposition") != `attachment; filename="one-junit.xml"` {
		t.Errorf("%d %q %v", code, text, head)
	}
	code, text, head = send(t, s, "GET", "/runs/one/report.html?before=two", "", nil)
	if code != http.StatusOK || text != "html of one before two" || !strings.HasPrefix(head.Get("Content-Security-Policy"), "sandbox") || head.Get("Content-Disposition") != "" {
		t.Errorf("%d %q %v", code, text, head)
	}
	if _, text, _ = send(t, s, "GET", "/api/log/one", "", nil); text != "log of one" {
		t.Errorf("log %q", text)
	}
}

// TestTwoPagesOfOneHost opens two pages with tokens in one browser, to which cookies of all ports are the same host's: both stay open.
func TestTwoPagesOfOneHost(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := http.Client{Jar: jar}
	open := func(address string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.Replace(address, "[::]", "127.0.0.1", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	var pages []*Server
	for range 2 {
		s, _ := listen(t, "0.0.0.0:0", Options{})
		pages = append(pages, s)
		open(s.base() + "/?token=" + s.token)
	}
	for i, s := range pages {
		if got := open(s.base() + "/api/state"); got != http.StatusOK {
			t.Errorf("page %d answers %d", i+1, got)
		}
	}
}
