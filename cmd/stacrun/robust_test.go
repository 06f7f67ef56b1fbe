package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/internal/ports"
)

// What may go wrong around a run while it goes on, each with the program as it is built and a real server: the run goes on,
// says what happened, and its counts are those of the server.

// counting is a server that counts what it has read, and can be stopped and started again at its address.
type counting struct {
	address string
	read    atomic.Int64 // heads of requests

	listener net.Listener
	stopping atomic.Bool
	ended    sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]struct{} // guarded by mu
}

func startCounting(t *testing.T, address string) *counting {
	t.Helper()
	s := &counting{}
	s.start(t, address)
	t.Cleanup(func() { s.stop(true) })
	return s
}

func (s *counting) start(t *testing.T, address string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s.listener, s.address = l, l.Addr().String()
	s.conns = map[net.Conn]struct{}{}
	s.stopping.Store(false)
	s.ended.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = struct{}{}
			s.mu.Unlock()
			s.ended.Go(func() { s.serve(c) })
		}
	})
}

// serve answers requests without a body. When the server is stopping it reads one more and ends the connection without an answer.
func (s *counting) serve(c net.Conn) {
	defer func() {
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		_ = c.Close()
	}()
	var head []byte
	buffer := make([]byte, 4096)
	for {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		head = append(head, buffer[:n]...)
		end := bytes.Index(head, []byte("\r\n\r\n"))
		if end < 0 {
			continue
		}
		last := bytes.Contains(head[:end], []byte("Connection: close"))
		head = head[end+4:]
		s.read.Add(1)
		if s.stopping.Load() {
			return
		}
		answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
		if last {
			answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
		}
		if _, err := io.WriteString(c, answer); err != nil || last {
			return
		}
	}
}

// connections tells how many are open.
func (s *counting) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// stop ends the server: at once, resetting its connections, or each when it has read one more request.
func (s *counting) stop(reset bool) {
	_ = s.listener.Close()
	s.stopping.Store(true)
	if reset {
		s.mu.Lock()
		for c := range s.conns {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
		s.mu.Unlock()
	}
	s.ended.Wait()
}

// child is the program at work on a file.
type child struct {
	cmd    *exec.Cmd
	dir    string // its artifacts
	output bytes.Buffer
	status string // of its control port; "": none
}

// start runs the program on a document, by way of other commands if there are any.
func startChild(t *testing.T, through []string, document string, args ...string) *child {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "run.yml")
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("stacrun") // where testscript put it
	if err != nil {
		t.Fatal(err)
	}
	c := &child{dir: filepath.Join(dir, "out")}
	line := append(append([]string{}, through...), program, file, "--artifacts", c.dir)
	line = append(line, args...)
	c.cmd = exec.Command(line[0], line[1:]...)
	c.cmd.Stdout, c.cmd.Stderr = &c.output, &c.output
	c.cmd.WaitDelay = time.Second
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() })
	return c
}

// startControlled also opens its control port.
func startControlled(t *testing.T, document string, args ...string) *child {
	t.Helper()
	address := ports.Free(t)
	c := startChild(t, nil, document, append(args, "--control", address)...)
	c.status = "http://" + address
	return c
}

// until waits until something has happened that the run or a server does by itself.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for range 12000 { // two minutes
		if happened() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never happened: " + what)
}

// failed is how many requests have failed so far.
func (c *child) failed() int64 {
	response, err := http.Get(c.status + "/status")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return gjson.GetBytes(text, "requests.failed").Int()
}

// stop ends the run by its control port and gives the summary.
func (c *child) stop(t *testing.T) gjson.Result {
	t.Helper()
	response, err := http.Post(c.status+"/stop", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return c.end(t, 2)
}

// end waits for the program and gives the summary; its counts must add up.
func (c *child) end(t *testing.T, code int) gjson.Result {
	t.Helper()
	_ = c.cmd.Wait() // the code tells
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit code %d, want %d:\n%s", got, code, c.output.String())
	}
	text, err := os.ReadFile(filepath.Join(c.dir, "summary.json"))
	if err != nil || !json.Valid(text) {
		t.Fatalf("summary: %v:\n%s", err, c.output.String())
	}
	s := gjson.ParseBytes(text)
	requests := s.Get("requests")
	if started, finished, cut := requests.Get("started").Int(), requests.Get("finished").Int(), requests.Get("interrupted").Int(); started != finished+cut {
		t.Errorf("%d requests started, %d finished, %d interrupted", started, finished, cut)
	}
	faults := int64(0)
	for _, n := range s.Get("total.faults").Map() {
		faults += n.Int()
	}
	if failed := s.Get("total.failures").Int(); faults != failed {
		t.Errorf("%d requests failed, the faults add up to %d", failed, faults)
	}
	if succeeded := s.Get("total.codes.200").Int(); succeeded+faults != s.Get("total.count").Int() {
		t.Errorf("%d succeeded, %d failed, %d finished", succeeded, faults, s.Get("total.count").Int())
	}
	return s
}

// The target goes away in mid-run and comes back at the same address.
func TestRunOutlivesItsTarget(t *testing.T) {
	t.Parallel()
	const users = 4
	for _, tt := range []struct {
		name  string
		reset bool
	}{{"it ends its connections", false}, {"it is killed", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startCounting(t, "127.0.0.1:0")
			c := startControlled(t, `
execution: {concurrency: 4, hold-for: 10m, throughput: 400, scenario: s}
scenarios:
  s:
    default-address: http://`+s.address+`
    requests: [{url: /, method: POST, label: write}, {url: /, label: read}]
settings: {preflight: false}
`)
			until(t, "100 requests", func() bool { return s.read.Load() >= 100 })
			s.stop(tt.reset)
			until(t, "failures", func() bool { return c.failed() >= 50 })
			before := s.read.Load()
			s.start(t, s.address)
			until(t, "100 requests after the return", func() bool { return s.read.Load() >= before+100 })
			sum := c.stop(t)
			refused := sum.Get("total.faults.connect-refused").Int()
			broken := sum.Get("total.faults.closed-early").Int() + sum.Get("total.faults.reset").Int()
			// A user may lose the connection that it has, and the next one, which the system had taken on before the server closed.
			if refused < 20 || broken > 2*users || refused+broken != sum.Get("total.failures").Int() {
				t.Errorf("faults %s: want refused connections, and at most two broken exchanges for each user", sum.Get("total.faults"))
			}
			if succeeded := sum.Get("total.codes.200").Int(); succeeded < 190 {
				t.Errorf("%d succeeded: %s", succeeded, sum.Get("total.codes"))
			}
			// Of a request that was cut off nobody can say whether the server had read it.
			if exchanges := sum.Get("requests.exchanges").Int(); exchanges < s.read.Load() || exchanges > s.read.Load()+broken {
				t.Errorf("%d exchanges, the server has read %d requests", exchanges, s.read.Load())
			}
			if !strings.Contains(c.output.String(), "connection refused") {
				t.Errorf("the report does not tell:\n%s", c.output.String())
			}
		})
	}
}
