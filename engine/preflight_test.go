package engine

import (
	"fmt"
	"net"
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
	if len(list) == 0 || list[0].Code != "descriptors" || !strings.Contains(list[0].Message, "needs 9000064 file descriptors, this process may open") {
		t.Errorf("got %s", describe(list))
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
