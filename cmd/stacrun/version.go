package main

import (
	"fmt"
	"io"
	"runtime"
)

// versionCmd is `stacrun version`.
type versionCmd struct{}

// Run runs the verb.
func (versionCmd) Run(a *app) error {
	return a.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "stacrun %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
}
