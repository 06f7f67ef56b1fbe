package services

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/stacrun/stacrun/stac/item"
)

// stacAPI runs the embedded STAC API from Prepare to PostProcess.
type stacAPI struct {
	base
	serve  stac.ServeOptions
	path   string // of the entry in the document
	items  func() (ingest.Source, error)
	server *stac.Server
	env    Env
}

func newStacAPI(module config.Module, env Env) (Service, diag.List) {
	env = env.withDefaults()
	o := options{module: module}
	listen, _ := listenURL(o.text("address", stac.DefaultAddress))
	s := &stacAPI{base: base{module.Name}, path: module.Path, env: env}
	s.serve = stac.ServeOptions{
		Address: listen, DB: o.text("db", ""), Latency: o.duration("latency", 0), Log: env.Log,
		Collection: o.text("collection", item.DefaultCollection),
	}
	s.items = o.source(env, "items", item.DefaultCount, s.serve.Collection, 0)
	return s, o.faults
}

// source reads a key that holds a number of items to generate, at least least, or a file or folder of items.
// The source of no items has no Items.
func (o *options) source(env Env, key string, fallback int, collection string, least int) func() (ingest.Source, error) {
	seed := uint64(o.count("seed", item.DefaultSeed, 0))
	n := o.module.Options.Get(key)
	if n != nil && n.Kind == config.Scalar {
		if _, isNumber := n.Int(); !isNumber {
			name := env.find(n.String(), n.Pos)
			return func() (ingest.Source, error) { return ingest.Open(name) }
		}
	}
	count := o.count(key, fallback, least)
	return func() (ingest.Source, error) {
		if count == 0 {
			return ingest.Source{}, nil
		}
		return stac.Generated(seed, collection, count), nil
	}
}

// Prepare fills the store and opens the port.
func (s *stacAPI) Prepare(ctx context.Context, _ string) error {
	source, err := s.items()
	if err != nil {
		return err // whoever runs services names this one
	}
	if source.Items != nil { // items: 0 leaves the collection to whoever fills it
		s.serve.Source = &source
	}
	s.server, err = stac.Serve(ctx, s.serve)
	if errors.Is(err, syscall.EADDRINUSE) {
		free := nextPort(s.serve.Address)
		return fmt.Errorf("%w: -o %s.address=%s -o scenarios.NAME.default-address=http://%s", err, s.path, free, free)
	}
	if err != nil {
		return err // whoever runs services names this one
	}
	s.env.Log.Info("embedded STAC API is up", "url", s.server.URL(), "items", source.Count, "db", s.serve.DB)
	return nil
}

// nextPort is the address with the next port, to name one that may be free.
func nextPort(address string) string {
	host, port, err := net.SplitHostPort(address)
	n, notNumber := strconv.Atoi(port)
	if err != nil || notNumber != nil || n >= 65535 {
		return "127.0.0.1:8091"
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// Check tells when the server died.
func (s *stacAPI) Check(context.Context) error {
	if s.server == nil {
		return nil
	}
	if err := s.server.Err(); err != nil {
		return fmt.Errorf("stac-api stopped: %w", err)
	}
	return nil
}

// PostProcess closes the port; connections that are still open get a second.
func (s *stacAPI) PostProcess(ctx context.Context, _ int, _ string) error {
	if s.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	server := s.server
	s.server = nil
	return server.Close(ctx)
}
