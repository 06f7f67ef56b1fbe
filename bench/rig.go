package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// rig is what a measurement stands on: a folder for its files, the program, and servers. It must be closed.
type rig struct {
	dir, stacrun string
	targets      []*target // the first is for all cases, the last one the Go server
}

// newRig makes the folder, and the program in it.
func newRig(ctx context.Context, o options) (*rig, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	r := &rig{dir: dir}
	if r.stacrun, err = buildStacrun(ctx, o, dir); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// newServedRig also starts the servers.
func newServedRig(ctx context.Context, o options) (*rig, error) {
	r, err := newRig(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.server != "go" {
		err := r.serveNginx()
		if errors.Is(err, errNoNginx) && o.server == "" {
			fmt.Fprintln(os.Stderr, "bench: nginx is not installed, the Go server takes its place")
		} else if err != nil {
			r.close()
			return nil, err
		}
	}
	if err := r.serveGo(0); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *rig) serveNginx() error {
	t, err := startNginx(r.dir)
	if err == nil {
		r.targets = append(r.targets, t)
	}
	return err
}

// serveGo starts our own server, which takes that long for an answer.
func (r *rig) serveGo(delay time.Duration) error {
	t, err := startGo(r.dir, delay)
	if err == nil {
		r.targets = append(r.targets, t)
	}
	return err
}

// close ends the servers and takes the folder away.
func (r *rig) close() {
	for _, t := range r.targets {
		t.process.stop()
	}
	_ = os.RemoveAll(r.dir) // what is left of it is temporary anyway
}
