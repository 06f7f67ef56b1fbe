package web

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/origin"
)

// DefaultAddress is where the page is when no other address is named.
const DefaultAddress = "127.0.0.1:8089"

//go:embed assets
var assets embed.FS

// Options of a page.
type Options struct {
	Runner  Runner
	Name    string // what the page is about: the first file
	Version string
	Start   bool   // runs can be started from the page; else it shows the one that is under way
	Token   string // needed on another address than loopback; "": one is made there
}

// Server is the page.
type Server struct {
	options  Options
	listener net.Listener
	server   *http.Server
	loopback bool
	token    string // "": none is asked for
	secret   string // which requests that change something must repeat; only the page itself knows it
	hub      *hub
	closing  chan struct{}
	serving  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	running bool
}

// Listen opens the page's address, so that a taken one shows at once. On another address than loopback a token is asked for.
func Listen(address string, o Options) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("page at %q: write host and port, such as %s", address, DefaultAddress)
	}
	s := &Server{options: o, hub: newHub(), secret: rand.Text(), closing: make(chan struct{}), loopback: origin.Loopback(host), token: o.Token}
	if !s.loopback && s.token == "" {
		s.token = rand.Text()
	}
	if s.token != "" && len(s.token) < minToken {
		return nil, fmt.Errorf("the token of the page has %d characters: use %d at least", len(s.token), minToken)
	}
	if s.listener, err = net.Listen("tcp", address); err != nil {
		return nil, fmt.Errorf("page at %s: %w", address, err)
	}
	s.server = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	s.serving.Go(func() { _ = s.server.Serve(s.listener) }) // ends with Close
	return s, nil
}

// minToken is how long a token must be, so that it cannot be tried out.
const minToken = 12

// URL is what to open, with the token where one is asked for.
func (s *Server) URL() string {
	u := url.URL{Scheme: "http", Host: s.listener.Addr().String(), Path: "/"}
	if address, ok := s.listener.Addr().(*net.TCPAddr); ok && address.IP.IsUnspecified() {
		u.Host = net.JoinHostPort("localhost", fmt.Sprint(address.Port))
	}
	if s.token != "" {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// Close lets answers that are under way go out, ends the streams and frees the address.
func (s *Server) Close() {
	close(s.closing)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
	s.serving.Wait()
}

// Watch begins to show a run; its Done must be called. One run is shown at a time.
func (s *Server) Watch() (*Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return nil, errRunning
	}
	s.running = true
	return newWatch(func(st *state) {
		if st.Phase == phaseEnded {
			s.mu.Lock()
			s.running = false
			s.mu.Unlock()
		}
		s.hub.publish(st)
	}), nil
}

var errRunning = errors.New("a run is under way: stop it first")

// begin starts a run with overrides.
func (s *Server) begin(overrides []string) (diag.List, error) {
	before := s.hub.current()
	watch, err := s.Watch()
	if err != nil {
		return nil, err
	}
	found := s.options.Runner.Start(overrides, watch)
	if found.HasErrors() {
		s.mu.Lock()
		s.running = false
		s.mu.Unlock()
		s.hub.publish(before)
	}
	return found, nil
}
