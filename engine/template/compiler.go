package template

import "github.com/stacrun/stacrun/diag"

// Compiler turns texts into templates. Fill it in, declare all names, then compile; it is not safe
// for concurrent use.
type Compiler struct {
	Names      *Names
	Functions  []Function        // of the domain, beside those of this package
	Properties map[string]string // of ${__P(name)}
	Getenv     func(string) (string, bool)
}

// Declare declares the variables that functions inside text set, such as n of
// ${__Random(1,6,n)}. Call it for all texts before the first one is compiled.
func (c *Compiler) Declare(text string) {}

// Text compiles a text. pos is the place of its first character and path its dotted path, for
// diagnostics. A template is returned even with errors, so that compiling can go on.
func (c *Compiler) Text(text string, pos diag.Pos, path string) (*Template, diag.List) {
	return nil, nil
}

// Condition compiles the condition of an if: the JavaScript subset that Taurus files use, or expr.
func (c *Compiler) Condition(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	return nil, nil
}

// While compiles the condition of a while, which by Taurus' rule goes on unless its text is
// "false"; a text that compares something is read like [Compiler.Condition].
func (c *Compiler) While(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	return nil, nil
}

// Check compiles an expr condition over a response: status, body, headers, json and variables.
func (c *Compiler) Check(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	return nil, nil
}
