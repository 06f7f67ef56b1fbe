package main

import (
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// TestFunctionExamples compiles the example of every function, with the variables it names.
func TestFunctionExamples(t *testing.T) {
	c := &template.Compiler{
		Names: template.NewNames(), Functions: stacFunctions(),
		Getenv:   func(string) (string, bool) { return "x", true },
		ReadFile: func(string) ([]byte, error) { return []byte("text"), nil },
	}
	for _, f := range functionDocs() {
		c.Declare(f.Example)
	}
	for _, name := range []string{"ids", "n", "answer", "a", "b", "i", "text", "name", "item", "id", "m", "word", "bbox"} {
		c.Names.Declare(name)
	}
	for _, f := range functionDocs() {
		if f.Doc == "" || !strings.Contains(f.Example, f.Name) {
			t.Errorf("%s: doc %q, example %q", f.Name, f.Doc, f.Example)
			continue
		}
		if _, found := c.Text(f.Example, diag.Pos{}, f.Name); found.HasErrors() {
			t.Errorf("%s: %v", f.Example, found)
		}
	}
}

// TestExpressionFunctionsAreListed holds the list against the language itself.
func TestExpressionFunctionsAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, f := range functionDocs() {
		listed[f.Name] = true
	}
	for _, name := range builtin.Names {
		if !listed[name] && !strings.HasPrefix(name, "bit") {
			t.Errorf("%s is not listed", name)
		}
	}
}
