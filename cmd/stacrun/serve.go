package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/item"
)

// serveCmd is `stacrun serve`.
type serveCmd struct {
	Listen   string `aliases:"addr" default:"127.0.0.1:8090" placeholder:"HOST:PORT" help:"Where to listen; a port alone is one of 127.0.0.1. (--addr is the same.)"`
	Items    int    `default:"0" placeholder:"N" help:"Begin with N generated items."`
	DB       string `name:"db" placeholder:"FILE" help:"Keep the data in this SQLite file instead of in memory."`
	ReadOnly bool   `help:"Answer 405 to every write."`
}

// Help is the long help.
func (serveCmd) Help() string {
	return "Serves a STAC API with search, filter, paging and transactions, for trying scenarios and for tests.\n\n" +
		"  stacrun serve --items 100\n  stacrun serve --db items.sqlite --listen 127.0.0.1:8091"
}

// withHost completes a port that stands alone.
func withHost(address string) string {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		return "127.0.0.1:" + address
	}
	return address
}

// closeLimit is how long answers under way may take when the server is asked to end.
const closeLimit = 5 * time.Second

// Run runs the verb until it is interrupted.
func (c *serveCmd) Run(a *app) (err error) {
	if c.Items < 0 {
		return fmt.Errorf("--items %d: want 0 or more", c.Items)
	}
	options := stac.ServeOptions{Address: withHost(c.Listen), DB: c.DB, ReadOnly: c.ReadOnly}
	if c.Items > 0 {
		source := stac.Generated(item.DefaultSeed, "", c.Items)
		options.Source = &source
	}
	server, err := stac.Serve(a.ctx, options)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		err = errors.Join(err, server.Close(ctx))
	}()
	if err := a.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "STAC API on %s/ (Ctrl-C ends it)\n", server.URL())
		return err
	}); err != nil {
		return err
	}
	interrupts, release := a.interrupts()
	defer release()
	failed := make(chan error, 1)
	go func() { failed <- server.Wait() }()
	select {
	case err := <-failed:
		return err
	case <-interrupts:
		return nil
	}
}
