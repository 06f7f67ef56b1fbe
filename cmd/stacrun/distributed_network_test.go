package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/cluster"
	"github.com/stacrun/stacrun/cluster/nats"
	"github.com/stacrun/stacrun/engine"
)

// TestRunOverABreakingNetwork breaks the connection of an agent again and again while it carries out its share, with seconds in which no new one
// can be made: the run passes, and all that the target was asked is counted.
func TestRunOverABreakingNetwork(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer target.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "run.yml")
	document := "execution: [{concurrency: 4, iterations: 300, scenario: s}]\nscenarios: {s: {default-address: '" + target.URL + "', think-time: 25ms, requests: [/]}}\n" +
		"settings: {preflight: false}\n"
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := temporary(t), temporary(t)
	code := make(chan int, 1)
	go func() {
		code <- run([]string{
			file, "--agents", "2", "--listen", "127.0.0.1:0", "--certificate", filepath.Join(dir, "controller.pem"), "--agent-timeout", "1m", "--artifacts", filepath.Join(dir, "out"),
		}, &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	}()
	join, err := nats.ParseAddress(awaitText(t, stderr.Name(), `--join (tls://\S+)`))
	if err != nil {
		t.Fatal(err)
	}
	network := newNetwork(t, join.Host)
	far := &hearing{messages: make(chan []byte, 1<<16)}
	var agents sync.WaitGroup
	defer agents.Wait()
	for _, name := range []string{"near", "far"} {
		address := join
		if name == "far" {
			address.Host = network.listener.Addr().String()
		}
		link, err := nats.Connect(t.Context(), address, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer link.Close()
		if name == "far" {
			link = far.over(link)
		}
		agents.Go(func() {
			_, err := cluster.Serve(t.Context(), link, cluster.AgentOptions{
				Name: name, Host: "here", Version: buildVersion(), Engine: engine.Options{Functions: stacFunctions(), Version: version},
			})
			if err != nil && !errors.Is(err, cluster.ErrGone) { // the last word to it may be lost in a break; the results tell
				t.Errorf("agent %s: %v", name, err)
			}
		})
	}
	for asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	breaks := 0
	for done := false; !done; {
		network.set(true)
		time.Sleep(1200 * time.Millisecond) // a second is told in it
		network.set(false)
		breaks++
		// An agent that hears nothing for long ends, so the next break comes only when this one is over.
		for before := far.heard.Load(); !done && far.heard.Load() < before+2; {
			select {
			case got := <-code:
				done = true
				if got != 0 {
					text, _ := os.ReadFile(stderr.Name()) // empty if it cannot be read
					t.Errorf("exit code %d after %d breaks, want 0:\n%s", got, breaks, text)
				}
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	summary, err := os.ReadFile(filepath.Join(dir, "out", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"outcome": "passed", "requests.finished": "1200", "requests.exchanges": "1200", "agents.0.state": "ended", "agents.1.state": "ended"} {
		if got := gjson.GetBytes(summary, path).String(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := asked.Load(); got != 1200 {
		t.Errorf("the target was asked %d times", got)
	}
	if network.made.Load() < 2 {
		t.Error("the connection was never made anew")
	}
}

// hearing is the end of an agent that counts what it hears.
type hearing struct {
	cluster.Link
	heard    atomic.Int64
	messages chan []byte
}

func (h *hearing) over(link cluster.Link) cluster.Link {
	h.Link = link
	go func() {
		defer close(h.messages)
		for text := range link.Receive() {
			h.heard.Add(1)
			h.messages <- text
		}
	}()
	return h
}

// Receive implements [cluster.Link].
func (h *hearing) Receive() <-chan []byte { return h.messages }

// network stands between an agent and its controller.
type network struct {
	listener net.Listener
	made     atomic.Int64 // connections
	running  sync.WaitGroup

	mu   sync.Mutex // guards what follows
	down bool
	open []net.Conn
}

func newNetwork(t *testing.T, to string) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{listener: l}
	n.running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			if far, err := net.Dial("tcp", to); err != nil || !n.admit(near, far) {
				_ = near.Close() // the other one is closed, or was never there
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		n.set(true)
		n.running.Wait()
	})
	return n
}

// admit joins two connections, unless the network is down.
func (n *network) admit(near, far net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		_ = far.Close()
		return false
	}
	n.made.Add(1)
	n.open = append(n.open, near, far)
	for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
		n.running.Go(func() {
			_, _ = io.Copy(pair[0], pair[1]) // until either side has gone
			_ = pair[0].Close()
			_ = pair[1].Close()
		})
	}
	return true
}

// set breaks all connections and lets no new one through, until the network is up again.
func (n *network) set(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, c := range n.open {
		_ = c.Close()
	}
	n.open = nil
}
