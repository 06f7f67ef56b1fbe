package main

import (
	"context"
	"os"
)

// prepare makes what measurements of the product alone need: a folder, the program and the servers. leave ends the servers and
// takes the folder away.
func prepare(ctx context.Context, o options) (dir, stacrun string, targets []*target, leave func(), err error) {
	if dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return "", "", nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if stacrun, err = buildStacrun(ctx, o, dir); err != nil {
		remove()
		return "", "", nil, nil, err
	}
	targets, stop, err := startTargets(o, dir)
	if err != nil {
		remove()
		return "", "", nil, nil, err
	}
	return dir, stacrun, targets, func() { stop(); remove() }, nil
}
