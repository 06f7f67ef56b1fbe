package engine

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var got []string
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		if strings.HasSuffix(r.RequestURI, "/moved") {
			http.Redirect(w, r, "/new", http.StatusFound)
		}
	}))
	defer through.Close()
	direct := newSeen(t, nil)
	host, port, _ := strings.Cut(strings.TrimPrefix(through.URL, "http://"), ":")
	text := fmt.Sprintf(`
execution: [{scenario: s}]
modules: {jmeter: {system-properties: {http.proxyHost: %s, http.proxyPort: %s, http.proxyUser: u, http.proxyPass: p}}}
scenarios:
  s:
    default-address: http://api.example:81
    variables: {v: x, all: 'http://other.example/y'}
    requests: [/a, '/b?c=${v}', {url: /moved}, '${all}', %q]
    follow-links: as-given
`, host, port, direct.URL+"/d")
	snap := runPlan(t, compile(t, text), RunOptions{})
	if snap.Total().Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
	const by = " Basic dTpw"
	want := []string{
		"GET http://api.example:81/a api.example:81" + by, "GET http://api.example:81/b?c=x api.example:81" + by,
		"GET http://api.example:81/moved api.example:81" + by, "GET http://api.example:81/new api.example:81" + by,
		"GET http://other.example/y other.example" + by,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the proxy saw (-want +got):\n%s", diff)
	}
	wantSeen(t, direct, "GET /d")
}

// https goes through a tunnel that the proxy opens: the target sees requests as without a proxy, the proxy sees only where they go.
func TestProxy_tunnel(t *testing.T) {
	var mu sync.Mutex
	var got, tunnels []string
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "https://other.example.com/new", http.StatusFound)
		case "/token":
			_, _ = w.Write([]byte(`{"access_token": "t"}`))
		}
	}))
	defer secure.Close()
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		tunnels = append(tunnels, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		mu.Unlock()
		switch {
		case r.Host == "refused.example.com:443":
			w.WriteHeader(http.StatusBadGateway)
			return
		case r.Method != http.MethodConnect:
			return
		}
		out, err := net.Dial("tcp", secure.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		in, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() {
			_, _ = io.Copy(out, buffered)
			_ = out.Close()
		}()
		_, _ = io.Copy(in, out)
		_ = in.Close()
	}))
	defer through.Close()
	host, port, _ := strings.Cut(strings.TrimPrefix(through.URL, "http://"), ":")
	text := fmt.Sprintf(`
execution: [{scenario: s, iterations: 2}]
modules: {jmeter: {system-properties: {http.proxyHost: %s, http.proxyPort: %s, http.proxyUser: u, http.proxyPass: p}}}
scenarios:
  s:
    default-address: https://example.com
    tls: {verify: false}
    variables: {v: x}
    authorization: {mechanism: oauth2, url: 'https://example.com/b', client-id: a, client-secret: b, token-url: 'https://token.example.com/token'}
    requests: [/a, '/b?c=${v}', {url: /moved}, 'http://plain.example.com/p', {url: 'https://refused.example.com/', label: refused}]
`, host, port)
	snap := runPlan(t, compile(t, text), RunOptions{})
	if diff := cmp.Diff([]string{
		"POST /token token.example.com ",
		"GET /a example.com ", "GET /b?c=x example.com ", "GET /moved example.com ", "GET /new other.example.com ",
		"GET /a example.com ", "GET /b?c=x example.com ", "GET /moved example.com ", "GET /new other.example.com ",
	}, got); diff != "" {
		t.Errorf("what the target saw (-want +got):\n%s", diff)
	}
	const by = " Basic dTpw"
	if diff := cmp.Diff([]string{ // connections live on, so there is one tunnel for each host
		"CONNECT token.example.com:443" + by, "CONNECT example.com:443" + by, "CONNECT other.example.com:443" + by,
		"GET http://plain.example.com/p" + by, "CONNECT refused.example.com:443" + by,
		"GET http://plain.example.com/p" + by, "CONNECT refused.example.com:443" + by,
	}, tunnels); diff != "" {
		t.Errorf("what the proxy saw (-want +got):\n%s", diff)
	}
	texts := snap.Errors()
	if total := snap.Total(); total.Failed != 2 || len(texts) != 1 || !strings.Contains(texts[0].Text, "the proxy refuses a tunnel to refused.example.com:443: status 502 Bad Gateway") {
		t.Errorf("failed %d: %+v", total.Failed, texts)
	}
}

func TestProxy_of(t *testing.T) {
	for _, tt := range []struct {
		name, properties, location string
		want                       string // the proxy, "" for none
	}{
		{"http", "http.proxyHost: p, http.proxyPort: 8", "http://a.example/", "p:8"},
		{"the port of Java", "http.proxyHost: p", "http://a.example/", "p:80"},
		{"https goes where http goes, as in JMeter", "http.proxyHost: p, http.proxyPort: 8", "https://a.example/", "p:8"},
		{"https has one of its own", "http.proxyHost: p, https.proxyHost: q", "https://a.example/", "q:443"},
		{"only https", "https.proxyHost: q, https.proxyPort: 9", "http://a.example/", ""},
		{"IPv6", "http.proxyHost: '[::2]'", "http://a.example/", "[::2]:80"},
		{"this machine is reached directly", "http.proxyHost: p", "http://localhost:80/", ""},
		{"by its address too", "http.proxyHost: p", "https://127.0.0.1:80/", ""},
		{"by IPv6 too", "http.proxyHost: p", "http://[::1]:80/", ""},
		{"unless the file says otherwise", "http.proxyHost: p, http.nonProxyHosts: ''", "http://localhost/", "p:80"},
		{"an exempted host", "http.proxyHost: p, http.nonProxyHosts: 'b|a.example'", "https://A.example/", ""},
		{"an end", "http.proxyHost: p, http.nonProxyHosts: '*.example'", "http://a.b.example/", ""},
		{"another end", "http.proxyHost: p, http.nonProxyHosts: '*.example'", "http://a.b.examples/", "p:80"},
		{"a beginning", "http.proxyHost: p, http.nonProxyHosts: '10.0.*'", "http://10.0.3.4/", ""},
		{"brackets are no class of characters", "http.proxyHost: p, http.nonProxyHosts: '[::2]'", "http://[::2]/", ""},
		{"stars in between", "http.proxyHost: p, http.nonProxyHosts: 'a*b*c'", "http://a-b-b-c/", ""},
		{"stars do not overlap", "http.proxyHost: p, http.nonProxyHosts: 'ab*bc'", "http://abc/", "p:80"},
		{"Java's name of the password", "http.proxyHost: p, http.proxyUser: u, http.proxyPassword: p", "http://a.example/", "p:80 u:p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := compile(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: ['http://a.example/']}}\nmodules: {jmeter: {system-properties: {"+tt.properties+"}}}\n")
			l, err := parseLocation(tt.location)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if p := plan.proxy.of(&l); p != nil {
				if got = p.address; p.user != "" {
					got += " " + p.user + ":" + p.password
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
