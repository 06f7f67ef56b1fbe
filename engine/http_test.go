package engine

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/metrics"
)

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, settings string
		fault          metrics.Fault
	}{
		{"an unknown authority is refused", "store-cookie: true", metrics.FaultTLS},
		{"verify off", "tls: {verify: false}", metrics.NoFault},
		{"own authority", fmt.Sprintf("tls: {ca: %q}", ca), metrics.NoFault},
		{"own authority, other name", fmt.Sprintf("tls: {ca: %q, server-name: other.test}", ca), metrics.FaultTLS},
		{"host gives the name too", fmt.Sprintf("tls: {ca: %q}, host: 'example.com:1'", ca), metrics.NoFault},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {%s, default-address: %q, requests: [{url: /, label: x}]}}\n", tt.settings, srv.URL))
			row := runPlan(t, plan, RunOptions{}).Label("", "x")
			if tt.fault == metrics.NoFault && row.Failed != 0 || tt.fault != metrics.NoFault && row.Faults[tt.fault] != 1 {
				t.Errorf("faults %v, want %s", row.Faults, tt.fault)
			}
		})
	}
}

// rawHeads takes the heads of requests as they stand on the wire.
func rawHeads(t *testing.T) (url string, heads func() []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	var mu sync.Mutex
	var all []string
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 64<<10)
				for {
					n, err := conn.Read(buf)
					if err != nil {
						return
					}
					mu.Lock()
					all = append(all, strings.ReplaceAll(string(buf[:n]), ln.Addr().String(), "ADDR"))
					mu.Unlock()
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func TestHeadsOnTheWire(t *testing.T) {
	url, heads := rawHeads(t)
	runPlan(t, compile(t, fmt.Sprintf(`
execution: [{scenario: s}]
scenarios:
  s:
    default-address: %q
    headers: {x-Odd-CASE: a, Accept: '*/*'}
    variables: {v: 1}
    requests:
    - /plain
    - {url: '/made/${v}', method: POST, body: 'n=${v}', headers: {User-Agent: mine, Accept: null}}
    - {url: /last, keepalive: false, host: other.test}
`, url)), RunOptions{})
	want := []string{
		"GET /plain HTTP/1.1\r\nHost: ADDR\r\nUser-Agent: stacrun/test\r\nx-Odd-CASE: a\r\nAccept: */*\r\n\r\n",
		"POST /made/1 HTTP/1.1\r\nHost: ADDR\r\nx-Odd-CASE: a\r\nUser-Agent: mine\r\nContent-Length: 3\r\n\r\nn=1",
		"GET /last HTTP/1.1\r\nHost: other.test\r\nUser-Agent: stacrun/test\r\nx-Odd-CASE: a\r\nAccept: */*\r\nConnection: close\r\n\r\n",
	}
	if diff := cmp.Diff(want, heads()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsSmuggledIntoAHead(t *testing.T) {
	url, heads := rawHeads(t)
	snap := runPlan(t, compile(t, fmt.Sprintf(`
execution: [{scenario: s}]
scenarios:
  s:
    default-address: %q
    variables: {evil: "a\r\nX-Evil: 1\r\n\r\nGET /evil HTTP/1.1"}
    requests:
    - {url: '/q?v=${evil}', label: url}
    - {url: /h, label: header, headers: {X-Own: '${evil}'}}
`, url)), RunOptions{})
	if row := snap.Label("", "header"); row.Faults[metrics.FaultTemplate] != 1 || row.Exchanges != 0 {
		t.Errorf("header: faults %v, exchanges %d", row.Faults, row.Exchanges)
	}
	all := heads()
	if len(all) != 1 || strings.Contains(all[0], "\nX-Evil") || !strings.HasPrefix(all[0], "GET /q?v=a%0D%0AX-Evil:%201") {
		t.Errorf("sent %q", all)
	}
}

func TestBearerAndBasic(t *testing.T) {
	s := newSeen(t, nil)
	script(t, s, `
    variables: {token: abc}
    authorization: [{mechanism: bearer, token: '${token}'}]
    requests: [/a, {url: /b, headers: {Authorization: own}}]
`)
	wantSeen(t, s, "GET /a Authorization=Bearer abc", "GET /b Authorization=own")
	s.forget()
	script(t, s, fmt.Sprintf(`
    variables: {p: secret}
    authorization: [{mechanism: basic, url: '%s/in', name: u, password: '${p}'}]
    requests: [/in/a, /out]
`, s.URL))
	wantSeen(t, s, "GET /in/a Authorization=Basic dTpzZWNyZXQ=", "GET /out")
}

func TestMultipartUpload(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(name, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []string
	s := &seen{Server: httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		f, h, err := r.FormFile("up")
		if err != nil {
			t.Error(err)
			return
		}
		text, _ := io.ReadAll(f)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.FormValue("a"), h.Filename, h.Header.Get("Content-Type"), string(text))
	}))}
	t.Cleanup(s.Close)
	script(t, s, fmt.Sprintf("    requests: [{url: /, method: POST, body: {a: b}, upload-files: [{param: up, path: %q}]}]\n", name))
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"b", "a.txt", "text/plain; charset=utf-8", "content"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTargetThatIsDown(t *testing.T) {
	url := "http://" + ports.Dead(t)
	snap := runPlan(t, compile(t, fmt.Sprintf("execution: [{scenario: s, iterations: 3}]\nscenarios: {s: {default-address: %q, requests: [/]}}\n", url)), RunOptions{})
	if total := snap.Total(); total.Faults[metrics.FaultConnectRefused] != 3 || total.Codes[0] != 3 || total.Exchanges != 0 {
		t.Errorf("faults %v, codes %v, %d exchanges, though none went over the wire", total.Faults, total.Codes, total.Exchanges)
	}
	if e := snap.Errors(); len(e) != 1 || e[0].Count != 3 || !strings.Contains(e[0].Text, "refused") {
		t.Errorf("errors %+v", e)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/a", "../b?c#d", "http://x/", "//y:1/z", "", "?q", "http://[::1", "a\r\nb", "https://h:0/"} {
		f.Add(s)
	}
	base := location{scheme: "http", host: "h", port: "80", target: "/a/b?c"}
	f.Fuzz(func(t *testing.T, reference string) {
		l, err := base.resolve(reference)
		if err != nil {
			return
		}
		if l.target == "" || l.target[0] != '/' || l.host == "" || l.port == "" {
			t.Fatalf("%q gives %+v", reference, l)
		}
		for i := range len(l.target) {
			if illegalInTarget(l.target[i]) || l.target[i] == '#' {
				t.Fatalf("%q gives the target %q", reference, l.target)
			}
		}
	})
}
