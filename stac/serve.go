package stac

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/ingest"
)

// DefaultAddress is where the embedded API listens unless told otherwise.
const DefaultAddress = "127.0.0.1:8090"

// ServeOptions says what the embedded API serves and where.
type ServeOptions struct {
	Address    string         // host:port; "": [DefaultAddress]; port 0: a free one
	DB         string         // SQLite file that keeps the data; "": memory
	Source     *ingest.Source // put into the store before the port opens; nil: nothing
	Collection string         // id for Source; "": that of its document
	ReadOnly   bool
	Latency    time.Duration // added to each answer, for trials
	BaseURL    string        // what links begin with; "": the Host of each request
	Log        *slog.Logger  // nil: silent
}

// Server is a running embedded API.
type Server struct {
	http  *http.Server
	store api.Store
	addr  net.Addr
	done  chan error
}

// Serve fills the store, opens the port and returns while requests are answered until Close is called.
// A port in use is an error that wraps syscall.EADDRINUSE.
func Serve(ctx context.Context, o ServeOptions) (*Server, error) {
	if o.Address == "" {
		o.Address = DefaultAddress
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// The port first: who finds it taken should not have waited for the data.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w: another program listens on %s, perhaps an earlier stacrun; stop it or choose another address", syscall.EADDRINUSE, o.Address)
	}
	if err != nil {
		return nil, err
	}
	store, err := openStore(ctx, o)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	var handler http.Handler = api.New(store, api.Options{BaseURL: o.BaseURL, ReadOnly: o.ReadOnly, Log: o.Log})
	if o.Latency > 0 {
		handler = slow(handler, o.Latency)
	}
	s := &Server{
		http:  &http.Server{Handler: handler, ReadHeaderTimeout: 30 * time.Second, IdleTimeout: 5 * time.Minute, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn)},
		store: store, addr: listener.Addr(), done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

func openStore(ctx context.Context, o ServeOptions) (api.Store, error) {
	var store api.Store = api.NewMemory()
	if o.DB != "" {
		file, err := api.OpenSQLite(ctx, o.DB)
		if err != nil {
			return nil, err
		}
		store = file
	}
	if o.Source != nil {
		if err := Fill(ctx, store, *o.Source, o.Collection); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	return store, nil
}

func slow(next http.Handler, latency time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(latency)
		defer timer.Stop()
		select {
		case <-timer.C:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// URL returns the base address of the API, with the loopback address where it listens on all.
func (s *Server) URL() string {
	host, port, err := net.SplitHostPort(s.addr.String())
	if err != nil {
		return "http://" + s.addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Err returns why the server stopped by itself, or nil while it runs.
func (s *Server) Err() error {
	select {
	case err := <-s.done:
		s.done <- err
		return err
	default:
		return nil
	}
}

// Wait returns when the server has stopped; nil when Close stopped it.
func (s *Server) Wait() error {
	err := <-s.done
	s.done <- err
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close lets running answers end until the context does, then closes the port and the store.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	return errors.Join(err, s.Wait(), s.store.Close())
}
