package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/schemas"
)

// validate checks the merged document, as it was written, against the schema. Keys of Taurus that
// mean nothing here, and unknown keys where they are tolerated, become warnings.
func (l *loader) validate() {
	schema, err := loadSchema()
	if err != nil {
		l.diags.Errorf("internal", diag.Pos{}, "", "read the schema: %v", err)
		return
	}
	w := schemaWalk{schema: schema, diags: &l.diags, doc: l.doc}
	tree := w.value(l.doc, []schemaNode{schema.raw}, nil)
	var failure *jsonschema.ValidationError
	switch err := schema.compiled.Validate(tree); {
	case err == nil:
	case errors.As(err, &failure):
		r := schemaReport{schema: schema, doc: l.doc, incomplete: l.incomplete, empty: l.emptyText()}
		r.collect(failure)
		l.diags.Add(r.diagnostics()...)
	default:
		l.diags.Errorf("internal", diag.Pos{}, "", "validate: %v", err)
	}
}

// schemaNode is a schema as decoded JSON.
type schemaNode = map[string]any

// schemaFile is the schema in two forms: compiled, and raw for what the library does not tell.
type schemaFile struct {
	compiled *jsonschema.Schema
	raw      schemaNode
}

// loadSchema compiles the embedded schema once; neither form is ever changed.
var loadSchema = sync.OnceValues(func() (*schemaFile, error) {
	const name = "stacrun:///schema.json" // not a file: the name of the working directory, which may hold a '#', would become a part of it
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("a schema loads nothing: %s", url)
	}
	if err := c.AddResource(name, strings.NewReader(string(schemas.JSON))); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, err
	}
	f := &schemaFile{compiled: compiled}
	return f, json.Unmarshal(schemas.JSON, &f.raw)
})

// definition follows a reference such as "#/$defs/request".
func (f *schemaFile) definition(reference string) schemaNode {
	name, ok := strings.CutPrefix(reference, "#/$defs/")
	if !ok {
		return f.at(strings.TrimPrefix(reference, "#"))
	}
	definitions, _ := f.raw["$defs"].(schemaNode)
	found, _ := definitions[name].(schemaNode)
	return found
}

// at walks down the raw schema by a JSON pointer such as "/$defs/request".
func (f *schemaFile) at(pointer string) schemaNode {
	var here any = f.raw
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch at := here.(type) {
		case schemaNode:
			here = at[token]
		case []any:
			var i int
			if _, err := fmt.Sscanf(token, "%d", &i); err != nil || i < 0 || i >= len(at) {
				return nil
			}
			here = at[i]
		default:
			return nil
		}
	}
	found, _ := here.(schemaNode)
	return found
}

// expand lists a schema and everything that applies to n through it: references, and the branch
// of each condition that holds.
func (f *schemaFile) expand(schema schemaNode, n *Node) []schemaNode {
	if schema == nil {
		return nil
	}
	out := []schemaNode{schema}
	if pointer, ok := schema["$ref"].(string); ok {
		out = append(out, f.expand(f.definition(pointer), n)...)
	}
	if condition, ok := schema["if"].(schemaNode); ok {
		branch := "else"
		if holds(condition, n) {
			branch = "then"
		}
		if next, ok := schema[branch].(schemaNode); ok {
			out = append(out, f.expand(next, n)...)
		}
	}
	return out
}

// holds evaluates the small conditions that the schema branches on: type, required, not, anyOf,
// maxProperties, and properties with const or enum.
func holds(condition schemaNode, n *Node) bool {
	if kind, ok := condition["type"].(string); ok && !isType(n, kind) {
		return false
	}
	if not, ok := condition["not"].(schemaNode); ok && holds(not, n) {
		return false
	}
	if most, ok := condition["maxProperties"].(float64); ok && n != nil && n.Kind == Mapping && len(n.Entries) > int(most) {
		return false
	}
	if branches, ok := condition["anyOf"].([]any); ok {
		if !slices.ContainsFunc(branches, func(b any) bool {
			branch, _ := b.(schemaNode)
			return holds(branch, n)
		}) {
			return false
		}
	}
	for _, key := range texts(condition["required"]) {
		if n == nil || n.Kind != Mapping || n.Get(key) == nil {
			return false
		}
	}
	properties, _ := condition["properties"].(schemaNode)
	for key, p := range properties {
		value := n.Get(key)
		if value == nil {
			continue
		}
		p, _ := p.(schemaNode)
		allowed := texts(p["enum"])
		if only, ok := p["const"].(string); ok {
			allowed = []string{only}
		}
		if value.Kind != Scalar || !contains(allowed, value.Text) {
			return false
		}
	}
	return true
}

func isType(n *Node, kind string) bool {
	switch kind {
	case "object":
		return n != nil && n.Kind == Mapping
	case "array":
		return n != nil && n.Kind == Sequence
	case "null":
		return n == nil || n.Kind == Null
	}
	return n != nil && n.Kind == Scalar
}

// texts reads a list of strings, or one string, out of decoded JSON.
func texts(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		var out []string
		for _, v := range value {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// emptyText says which files gave nothing, for a document that has no key.
func (l *loader) emptyText() string {
	var names []string
	for _, input := range l.file.Inputs {
		names = append(names, input.Name)
	}
	if len(names) == 1 {
		return names[0] + " is empty"
	}
	return strings.Join(names, " and ") + " are empty"
}
