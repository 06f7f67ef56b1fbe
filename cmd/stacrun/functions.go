package main

import (
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/stac"
)

// stacFunctions hands the functions of the domain to the template compiler, which does not know them.
func stacFunctions() []template.Function {
	table := stac.Functions()
	functions := make([]template.Function, 0, len(table))
	for _, f := range table {
		functions = append(functions, template.Function{
			Name: f.Name, Params: f.Params, Doc: f.Doc, Example: f.Example, MinArgs: f.MinArgs, MaxArgs: f.MaxArgs,
			Call: func(c *template.Context, args []any) (any, error) { return f.Call(c.Rand, args) },
		})
	}
	return functions
}
