package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/session"
)

// validateCmd is `stacrun validate FILE…`.
type validateCmd struct {
	formatFlag
	Files []string `arg:"" name:"file" help:"Scenario files, merged in order."`
}

// Help is the long help.
func (validateCmd) Help() string {
	return "Reads, merges and compiles the files and prints everything that is wrong, in file order.\n" +
		"Exit code 0 when they can be run, else 1.\n\n  stacrun validate scenarios/search.yml --format json"
}

// validation is the JSON form: a contract.
type validation struct {
	OK          bool      `json:"ok"`
	Diagnostics diag.List `json:"diagnostics"`
}

// Run runs the verb.
func (c *validateCmd) Run(a *app) error {
	l, _, found := a.prepare(c.Files)
	if found.HasErrors() {
		a.code = session.ExitError
	}
	if c.Format == "json" {
		found, _ := config.MaskTold(found, l.file)
		return a.print(func(w io.Writer) error { return writeJSON(w, validation{!found.HasErrors(), found}) })
	}
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	return a.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "ok: %s\n", okText(found))
		return err
	})
}

func okText(found diag.List) string {
	switch n := count(found, diag.Warning); n {
	case 0:
		return "nothing to complain about"
	case 1:
		return "1 warning"
	default:
		return fmt.Sprintf("%d warnings", n)
	}
}

// writeJSON writes v indented, without escaping <, > and &.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
