package main

import (
	"io"

	"github.com/stacrun/stacrun/config"
)

// showCmd is `stacrun show FILE…`.
type showCmd struct {
	formatFlag
	Origins bool     `help:"Add to each value the place that it came from and the places that it hides."`
	Files   []string `arg:"" name:"file" help:"Scenario files, merged in order."`
}

// Help is the long help.
func (showCmd) Help() string {
	return "Prints the effective document: files, included files, aliases and overrides merged, shorthands\n" +
		"expanded, secrets masked.\n\n  stacrun show base.yml ci.yml --origins\n\n" +
		"--format json prints the merged document as JSON."
}

// Run runs the verb.
func (c *showCmd) Run(a *app) error {
	l, found := a.load(c.Files)
	found.Sort()
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	return a.print(func(w io.Writer) error {
		return config.Format(w, l.file.Document, config.FormatOptions{Origins: c.Origins, JSON: c.Format == "json", Mask: true})
	})
}
