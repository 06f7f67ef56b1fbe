package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// functionsCmd is `stacrun functions [NAME]`.
type functionsCmd struct {
	formatFlag
	Name string `arg:"" optional:"" help:"Function, such as __Random or randomBbox."`
}

// Help is the long help.
func (functionsCmd) Help() string {
	return "Lists what may be called between \"${\" and \"}\", or explains one function.\n\n" +
		"  stacrun functions\n  stacrun functions __Random\n  stacrun functions randomBbox --format json"
}

// functionDoc is the JSON form: a contract.
type functionDoc struct {
	Name       string `json:"name"`
	Group      string `json:"group"` // "domain", "expression" or "JMeter"
	Parameters string `json:"parameters"`
	Doc        string `json:"doc"`
	Example    string `json:"example"`
}

// Run runs the verb.
func (c *functionsCmd) Run(a *app) error {
	all := functionDocs()
	if c.Name != "" {
		found, err := findFunction(all, c.Name)
		if err != nil {
			return err
		}
		all = found
	}
	if c.Format == "json" {
		return a.print(func(w io.Writer) error { return writeJSON(w, all) })
	}
	if c.Name != "" {
		return a.print(func(w io.Writer) error {
			for _, f := range all {
				if _, err := fmt.Fprintf(w, "%s(%s)\n  %s.\n  example: %s\n", f.Name, f.Parameters, sentenceCase(f.Doc), f.Example); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return a.print(func(w io.Writer) error {
		_, err := io.WriteString(w, functionTable(all))
		return err
	})
}

// functionDocs lists the functions of the domain, of expressions and of JMeter.
func functionDocs() []functionDoc {
	var out []functionDoc
	docs := template.Functions(stacFunctions())
	for _, group := range []string{"domain", "expression", "JMeter"} {
		for _, d := range docs {
			if d.Group == group {
				out = append(out, functionDoc{d.Name, d.Group, d.Params, d.Doc, d.Example})
			}
		}
		if group == "expression" {
			out = append(out, expressionDocs()...)
		}
	}
	return out
}

// findFunction finds a function by its name, with or without the underscores of JMeter's.
func findFunction(all []functionDoc, name string) ([]functionDoc, error) {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "${"), "}"), "()")
	var names []string
	for _, f := range all {
		if f.Name == name || f.Name == "__"+name {
			return []functionDoc{f}, nil
		}
		names = append(names, f.Name)
	}
	hint := diag.DidYouMean(name, names)
	if hint == "" {
		hint = "stacrun functions lists them all"
	}
	return nil, fmt.Errorf("unknown function %q\n  hint: %s", name, hint)
}

// functionTable lists functions by group, each with its example below it.
func functionTable(all []functionDoc) string {
	titles := map[string]string{
		"domain":     "STAC: values for searches and items",
		"expression": "Expressions (expr): ${…} that is more than a variable's name",
		"JMeter":     "JMeter's, as Taurus files have them; arguments need no quotes, \\, is a comma",
	}
	var b strings.Builder
	group := ""
	for _, f := range all {
		if f.Group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = f.Group
			fmt.Fprintf(&b, "%s\n", titles[group])
		}
		fmt.Fprintf(&b, "  %s(%s)\n      %s\n      %s\n", f.Name, f.Parameters, f.Doc, f.Example)
	}
	return b.String()
}

func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".")
}
