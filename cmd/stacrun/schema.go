package main

import (
	"io"

	"github.com/stacrun/stacrun/schemas"
)

// schemaCmd is `stacrun schema`.
type schemaCmd struct{}

// Help is the long help.
func (schemaCmd) Help() string {
	return "Prints the JSON Schema (draft 2020-12) that scenario files are validated with, for editors.\n\n" +
		"  stacrun schema > stacrun.schema.json\n\nand as the first line of a scenario file:\n\n" +
		"  # yaml-language-server: $schema=stacrun.schema.json"
}

// Run runs the verb.
func (schemaCmd) Run(a *app) error {
	return a.print(func(w io.Writer) error {
		_, err := w.Write(schemas.JSON)
		return err
	})
}
