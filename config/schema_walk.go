package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// schemaWalk makes the plain tree that the schema library wants out of a document. Scalars take
// the type that the schema asks for at their place: yes and on are booleans where a boolean may
// stand, quoted numbers are numbers, and 010 stays text where text is expected. On the way it
// warns about keys that are tolerated only.
type schemaWalk struct {
	schema *schemaFile
	diags  *diag.List
	doc    *Node // the whole document
}

// absent stands for an empty value where one would be a mistake: the key counts as not written.
type absent struct{}

// value converts n, to which all of the given schemas apply.
func (w *schemaWalk) value(n *Node, given []schemaNode, path []string) any {
	var applying []schemaNode
	for _, s := range given {
		applying = append(applying, w.schema.expand(s, n)...)
	}
	switch n.Kind {
	case Mapping:
		return w.mapping(n, applying, path)
	case Sequence:
		var items []schemaNode
		for _, s := range applying {
			if item, ok := s["items"].(schemaNode); ok {
				items = append(items, item)
			}
		}
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = w.value(item, items, append(path, strconv.Itoa(i)))
			if _, empty := out[i].(absent); empty {
				out[i] = nil
			}
		}
		return out
	case Scalar:
		return scalarAs(n, allowedTypes(applying))
	}
	switch types := allowedTypes(applying); {
	case len(types) == 0 || types["null"]:
		return nil
	case types["string"] || types["number"] || types["integer"] || types["boolean"]:
		return absent{}
	case types["array"]:
		return []any{}
	}
	return map[string]any{}
}

func (w *schemaWalk) mapping(n *Node, applying []schemaNode, path []string) any {
	out := make(map[string]any, len(n.Entries))
	for i := range n.Entries {
		e := &n.Entries[i]
		schemas := w.propertySchemas(e, applying, path)
		value := w.value(e.Value, schemas, append(path, PathPart(e.Key)))
		if _, empty := value.(absent); !empty {
			out[e.Key] = value
		}
	}
	return out
}

// propertySchemas finds what applies to one entry of a mapping, and warns about it.
func (w *schemaWalk) propertySchemas(e *Entry, applying []schemaNode, path []string) []schemaNode {
	var found, others []schemaNode
	lax := false
	var title string
	for _, s := range applying {
		if text, ok := s["title"].(string); ok {
			title = text
		}
		properties, _ := s["properties"].(schemaNode)
		if p, ok := properties[e.Key].(schemaNode); ok {
			found = append(found, p)
		}
		if patterns, ok := s["patternProperties"].(schemaNode); ok && isFree(e.Key) {
			for _, p := range patterns {
				found = append(found, p.(schemaNode))
			}
		}
		if p, ok := s["additionalProperties"].(schemaNode); ok {
			others = append(others, p)
		}
		lax = lax || s["x-unknown"] == "warn" && s["properties"] != nil
	}
	dotted := func() string { return strings.Join(append(path, PathPart(e.Key)), ".") }
	for _, p := range found {
		if p["x-taurus"] == "warn" {
			d := w.diags.Warnf("taurus-only", e.KeyPos, dotted(), "%q has no effect here: %s", e.Key, sentence(p["description"]))
			d.Hint, _ = p["x-hint"].(string)
			d.Length = len([]rune(e.Key))
		}
	}
	if len(found) > 0 {
		return found
	}
	if lax && title == "modules" && pythonClass(w.doc, e.Key) != nil {
		if !namesModule(w.doc, e.Key) { // an error says it where it is used
			d := w.diags.Warnf("taurus-only", e.KeyPos, dotted(), "%q is a Python class of Taurus and has no effect here", e.Key)
			d.Hint, d.Length = "remove it", len([]rune(e.Key))
		}
		return others
	}
	if lax {
		d := w.diags.Warnf("unknown-key", e.KeyPos, dotted(), "unknown key %q in %s", e.Key, title)
		d.Hint = diag.DidYouMean(e.Key, propertyNames(applying))
		d.Length = len([]rune(e.Key))
	}
	return others
}

// pythonClass gives the class that modules name for a module of the user's own; nil without one.
func pythonClass(doc *Node, name string) *Node {
	module := doc.At("modules", name)
	if module != nil && module.Kind == Mapping {
		module = module.Get("class")
	}
	if module == nil || module.Kind != Scalar {
		return nil
	}
	return module
}

// namesModule reports whether an execution, a reporter or a service uses a module.
func namesModule(doc *Node, name string) bool {
	is := func(n *Node) bool { return n != nil && n.Kind == Scalar && n.Text == name }
	if is(doc.At("settings", "default-executor")) {
		return true
	}
	for _, place := range [...]struct{ list, key string }{{"execution", "executor"}, {"reporting", "module"}, {"services", "module"}} {
		list := doc.Get(place.list)
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			if is(item) || item.Kind == Mapping && is(item.Get(place.key)) {
				return true
			}
		}
	}
	return false
}

// isFree reports whether a key at top level is left to the user.
func isFree(key string) bool {
	return strings.HasPrefix(key, "x-") || strings.HasPrefix(key, "_") || strings.HasPrefix(key, ".")
}

// propertyNames lists the keys that the schemas know, in order, without those that only warn.
func propertyNames(applying []schemaNode) []string {
	names := map[string]bool{}
	for _, s := range applying {
		properties, _ := s["properties"].(schemaNode)
		for key, p := range properties {
			if p, ok := p.(schemaNode); ok && p["x-taurus"] == nil {
				names[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// allowedTypes joins the types that the schemas name; none means that anything may stand there.
func allowedTypes(applying []schemaNode) map[string]bool {
	types := map[string]bool{}
	for _, s := range applying {
		for _, t := range texts(s["type"]) {
			types[t] = true
		}
	}
	return types
}

// scalarAs types a scalar by what may stand at its place.
func scalarAs(n *Node, types map[string]bool) any {
	if types["boolean"] {
		if b, ok := n.Bool(); ok && !(n.Quoted && types["string"]) {
			return b
		}
	}
	number := types["number"] || types["integer"]
	if number && !(n.Quoted && types["string"]) {
		if i, ok := n.Int(); ok {
			return i
		}
		if f, ok := n.Float(); ok && types["number"] {
			return f
		}
	}
	if types["string"] {
		return n.Text
	}
	return n.Any()
}

// sentence makes a clause of a description: without its full stop and with a small first letter.
func sentence(description any) string {
	text, _ := description.(string)
	text = strings.TrimSuffix(text, ".")
	if text == "" {
		return "it is a key of Taurus"
	}
	if len(text) > 1 && text[1] >= 'a' && text[1] <= 'z' || strings.HasPrefix(text, "A ") {
		for _, name := range []string{"Taurus", "JMeter", "Java", "Apiritif", "Groovy", "JUnit", "CSV"} {
			if strings.HasPrefix(text, name) {
				return text
			}
		}
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
