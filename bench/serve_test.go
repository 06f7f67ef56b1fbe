package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stacrun/stacrun/engine/wire"
)

// TestServerEndsWithItsParent closes the other side of its standard input, as the end of a process does.
func TestServerEndsWithItsParent(t *testing.T) {
	certificate, err := writeCertificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stdin, parent := io.Pipe()
	ended := make(chan error)
	go func() { ended <- serveMain(t.Context(), []string{"-cert", certificate}, stdin) }()
	select {
	case err := <-ended:
		t.Fatalf("it ended before its parent: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := parent.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := &server{answers: map[string][]byte{
		"/items/1": []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nitem"),
		"/echo":    []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
	}}
	go s.accept(l)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c := wire.Conn{Target: wire.NewTarget("http", "127.0.0.1", port, wire.TargetOptions{Clock: func() int64 { return 1 }})}
	defer c.Close()
	for _, tt := range []struct {
		name, request, body string
		status, connections int
	}{
		{"templated", "GET /items/77?n=1 HTTP/1.1\r\nHost: x\r\n\r\n", "item", 200, 1},
		{"upload", "POST /echo HTTP/1.1\r\ncontent-length: 100000\r\n\r\n" + string(bytes.Repeat([]byte("x"), 100_000)), "ok", 200, 0},
		{"unknown", "GET /nothing HTTP/1.1\r\n\r\n", "", 404, 0},
		{"count", "GET /count HTTP/1.1\r\n\r\n", fmt.Sprintf("%20d", 2), 200, 0},
	} {
		var resp wire.Response
		c.Do(&wire.Request{Method: "GET", Head: []byte(tt.request), KeepBody: true}, &resp)
		if resp.Fault != wire.NoFault || resp.Status != tt.status || string(resp.Body) != tt.body || resp.NewConnection != (tt.connections == 1) {
			t.Errorf("%s: fault %q %s, status %d, body %q, new connection %v", tt.name, resp.Fault, resp.Detail, resp.Status, resp.Body, resp.NewConnection)
		}
	}
}
