package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/session"
)

// fmtCmd is `stacrun fmt FILE…`.
type fmtCmd struct {
	Check bool     `help:"Change nothing; name the files that are not laid out, and exit with 1 when there are any."`
	Files []string `arg:"" name:"file" help:"Scenario files; what comes from - (standard input) or a pipe goes to standard output."`
}

// Help is the long help.
func (fmtCmd) Help() string {
	return "Lays scenario files out anew: two spaces a level, comments and single empty lines kept. What they mean\n" +
		"stays, and so do spelling and order. Laying out twice changes nothing more.\n\n" +
		"  stacrun fmt scenarios/*.yml\n  stacrun fmt --check scenarios/*.yml    in CI\n  stacrun fmt - < a.yml"
}

// Run runs the verb.
func (c *fmtCmd) Run(a *app) error {
	var found diag.List
	sources := diag.Sources{}
	for _, name := range c.Files {
		changed, mistakes, err := c.file(a, name, sources)
		if err != nil {
			return err
		}
		found.Add(mistakes...)
		if changed && c.Check {
			a.code = session.ExitError
		}
	}
	return a.tell(found, &config.File{Sources: sources})
}

// file lays out one file and names it on stdout when it changes.
func (c *fmtCmd) file(a *app, name string, sources diag.Sources) (changed bool, found diag.List, err error) {
	text, err := a.inputs.read(name)
	if err != nil {
		return false, nil, err
	}
	sources[name] = text
	out, found := config.FormatSource(name, text)
	if found.HasErrors() {
		return false, found, nil
	}
	changed = !bytes.Equal(text, out)
	switch {
	case c.Check && changed:
		_, err = fmt.Fprintln(a.stdout, name)
	case c.Check:
	case streamed(name):
		_, err = a.stdout.Write(out)
	case changed:
		if err = replaceFile(name, out); err == nil {
			_, err = fmt.Fprintln(a.stdout, name)
		}
	}
	return changed, found, err
}

// replaceFile writes a file beside the old one and takes its place, so that a full disk or a crash
// leaves one of the two whole.
func replaceFile(name string, text []byte) error {
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	if closeErr := next.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(next.Name(), info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(next.Name(), name)
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}
