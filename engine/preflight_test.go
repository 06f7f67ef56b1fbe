package engine

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPreflight(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	up := ln.Addr().String()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := closed.Addr().String()
	_ = closed.Close()
	plan := compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {requests: ['http://%s/a', 'http://%s/b']}}\n", up, down))
	list := Preflight(t.Context(), plan)
	if len(list) != 1 || list[0].Code != "target-down" || list[0].Pos.Line != 2 || !strings.Contains(list[0].Message, "http://"+down) {
		t.Errorf("got %s", describe(list))
	}
	plan = compile(t, "execution: [{scenario: s, concurrency: 9000000}]\nscenarios: {s: {requests: ['http://"+up+"/a']}}\n")
	list = Preflight(t.Context(), plan)
	if len(list) == 0 || list[0].Code != "descriptors" || !strings.Contains(list[0].Message, "needs 9000032 file descriptors, this process may open") {
		t.Errorf("got %s", describe(list))
	}
}

func TestDescriptorHint(t *testing.T) {
	tests := []struct {
		name, load, requests string
		have                 int64
		want                 string
	}{
		{"some have room", "concurrency: 100", "/a", 64, "raise the limit (ulimit -n 132), or use at most 32 users"},
		{"one has room", "concurrency: 100", "/a", 33, "raise the limit (ulimit -n 132), or use at most 1 user"},
		{"nobody has room", "concurrency: 3", "/a", 20, "raise the limit (ulimit -n 35)"},
		{"two connections each", "concurrency: 100", "/a, 'http://g/b'", 64, "raise the limit (ulimit -n 232), or use at most 16 users"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := compile(t, "execution: [{scenario: s, "+tt.load+"}]\nscenarios: {s: {default-address: 'http://h', requests: ["+tt.requests+"]}}\n")
			if got := plan.descriptorHint(plan.limits().DescriptorsNeeded, tt.have); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTLSOnAPlainPort(t *testing.T) {
	srv := httptest.NewServer(nil)
	defer srv.Close()
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	plain := strings.Replace(srv.URL, "http:", "https:", 1)
	for _, tt := range []struct{ name, url, want string }{
		{"it speaks http", plain, "does this port speak TLS at all? If not, write " + srv.URL},
		{"a private authority", secure.URL, "write tls: {ca: FILE} for a private authority, or tls: {verify: false} to skip the check"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := Preflight(t.Context(), compile(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: ['"+tt.url+"/a']}}\n"))
			if len(list) != 1 || list[0].Hint != tt.want {
				t.Errorf("got %s", describe(list))
			}
		})
	}
}

func TestStartHintKnowsOurBackends(t *testing.T) {
	tests := []struct{ address, want string }{
		{"http://127.0.0.1:8090", "start the embedded API: stacrun serve"},
		{"http://localhost:8085", "start it: docker compose up -d app-opensearch"},
		{"http://[::1]:8083", "start it: docker compose up -d app-pgstac"},
		{"http://example.com:8085", "start the server, or name another with -o; settings.preflight: false skips this question"},
	}
	for _, tt := range tests {
		l, err := parseLocation(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := startHint(&l); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.address, got, tt.want)
		}
	}
}

// A proxy that does not let a target be reached is what is told, and not the target.
func TestPreflight_proxy(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, down, _ := net.SplitHostPort(closed.Addr().String())
	_ = closed.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer refusing.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(refusing.URL, "http://"), ":")
	for _, tt := range []struct{ name, url, port, message, hint string }{
		{"nobody is there", "http://api.example", down, "does not lead to http://api.example: connect 127.0.0.1:" + down + ": connection refused", "http.nonProxyHosts"},
		{"it wants a name", "https://api.example", port, "does not lead to https://api.example: the proxy refuses a tunnel to api.example:443: status 407", "http.proxyUser"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := Preflight(t.Context(), compile(t, fmt.Sprintf(
				"execution: [{scenario: s}]\nscenarios: {s: {requests: ['%s/a']}}\nmodules: {jmeter: {system-properties: {http.proxyHost: 127.0.0.1, http.proxyPort: %s}}}\n", tt.url, tt.port)))
			if len(list) != 1 || !strings.Contains(list[0].Message, tt.message) || !strings.Contains(list[0].Hint, tt.hint) {
				t.Errorf("got %s", describe(list))
			}
		})
	}
}
