package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stacrun/stacrun/diag"
)

// schemaReport turns the library's tree of failures into diagnostics: its leaves only, each once,
// placed at the key or value that is wrong.
type schemaReport struct {
	schema     *schemaFile
	doc        *Node
	incomplete bool   // parts of the document are missing, so missing keys prove nothing
	empty      string // what to say of a document without any key

	failures []schemaFailure
}

// schemaFailure is one leaf.
type schemaFailure struct {
	keyword string     // such as "type"
	schema  schemaNode // that holds the keyword
	title   string     // of the innermost block that holds it
	pointer string     // of the value, as a JSON pointer
}

func (r *schemaReport) collect(failure *jsonschema.ValidationError) {
	for _, cause := range failure.Causes {
		r.collect(cause)
	}
	if len(failure.Causes) > 0 {
		return
	}
	_, fragment, _ := strings.Cut(failure.AbsoluteKeywordLocation, "#")
	slash := strings.LastIndexByte(fragment, '/')
	if slash < 0 {
		return
	}
	f := schemaFailure{keyword: fragment[slash+1:], schema: r.schema.at(fragment[:slash]), pointer: failure.InstanceLocation}
	f.title = r.title(fragment[:slash])
	for _, known := range r.failures {
		if known.keyword == f.keyword && known.pointer == f.pointer {
			return
		}
	}
	r.failures = append(r.failures, f)
}

// diagnostics reports what was collected. Unknown keys come first, because they explain missing ones.
func (r *schemaReport) diagnostics() diag.List {
	slices.SortFunc(r.failures, func(a, b schemaFailure) int {
		rank := func(f schemaFailure) int {
			if f.keyword == "additionalProperties" {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.pointer, b.pointer), strings.Compare(a.keyword, b.keyword))
	})
	var diags diag.List
	meant := map[string]map[string]bool{} // pointer of a mapping → keys that its unknown keys probably are
	for _, f := range r.failures {
		node, entry, path := r.doc.Pointer(f.pointer)
		if node == nil {
			continue
		}
		switch f.keyword {
		case "additionalProperties":
			meant[f.pointer] = r.unknownKeys(&diags, f, node, path)
		case "required":
			r.missingKeys(&diags, f, node, entry, path, meant[f.pointer])
		default:
			r.badValue(&diags, f, node, path)
		}
	}
	return diags
}

// missingKeys reports required keys at the key of the mapping that lacks them.
func (r *schemaReport) missingKeys(diags *diag.List, f schemaFailure, node *Node, entry *Entry, path string, meant map[string]bool) {
	if r.incomplete {
		return
	}
	if meant["*"] {
		return // an unknown key makes the whole mapping something else
	}
	pos := node.Pos
	if entry != nil {
		pos = entry.KeyPos
	}
	for _, key := range texts(f.schema["required"]) {
		if present := node.Get(key); present != nil && present.Kind != Null || meant[key] {
			continue
		}
		if path == "" {
			d := diags.Errorf("missing-key", diag.Pos{File: pos.File}, key, "there is no %q: nothing says what to run", key)
			if len(node.Entries) == 0 && r.empty != "" {
				d.Message = r.empty
			}
			d.WithHint("write \"execution: [{scenario: NAME, concurrency: 10, hold-for: 30s}]\" and describe the scenario under \"scenarios\"")
			continue
		}
		d := diags.Errorf("missing-key", pos, path, "%q is missing in %s", key, f.title)
		d.WithHint("add %q", key)
		if text, _ := r.describe(path + "." + key); text != "" {
			d.WithHint("add %q: %s", key, text)
		}
	}
}

// moduleNames are words for our modules that are too far from their names to be taken for misspelt ones.
var moduleNames = map[string]string{ //nolint:gochecknoglobals // a constant table
	"junit": "junit-xml", "xunit": "junit-xml", "xml": "junit-xml", "html-report": "html", "page": "html", "md": "markdown", "summary": "final-stats",
	"stats": "final-stats", "thresholds": "passfail", "criteria": "passfail", "pass-fail": "passfail", "kpi": "jtl", "influxdb": "influx",
	"opentelemetry": "otlp", "otel": "otlp", "prom": "prometheus", "ndjson": "jsonlines", "slack": "webhook", "live": "console",
	"shell": "shellexec", "exec": "shellexec", "command": "shellexec", "ingest": "stac-ingest", "serve": "stac-api", "stac": "stac-api", "api": "stac-api",
}

// badValue reports a wrong type or a value outside of its bounds.
func (r *schemaReport) badValue(diags *diag.List, f schemaFailure, node *Node, path string) {
	name := lastName(path)
	var d *diag.Diagnostic
	switch f.keyword {
	case "type", "pattern":
		d = diags.Errorf("wrong-type", node.Pos, path, "expected %s, got %s", r.expects(f.schema), got(node))
	case "enum", "const":
		allowed := texts(f.schema["enum"])
		if skipped := texts(f.schema["x-skipped"]); skipped != nil {
			word, _ := f.schema["title"].(string)
			if other := r.moduleElsewhere(word, node.String()); other != "" {
				d = diags.Errorf("unknown-module", node.Pos, path, "%q is no %s", node.String(), word).WithHint("%s", other)
				break
			}
			if class := pythonClass(r.doc, node.String()); class != nil {
				d = diags.Errorf("unknown-module", node.Pos, path, "%s %q is a Python class of Taurus and cannot run natively", word, node.String()).
					WithHint("remove it").WithNote(class.Pos, "the class is named here")
				break
			}
			d = diags.Errorf("unknown-module", node.Pos, path, "unknown %s %q", word, node.String())
			ours := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return contains(skipped, s) || strings.Contains(s, "_") })
			hint := diag.DidYouMean(node.String(), allowed)
			if other := moduleNames[strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(node.String()))]; contains(allowed, other) {
				hint = fmt.Sprintf("did you mean %q?", other)
			}
			d.WithHint("%s", orElse(hint, "known ones: "+strings.Join(ours, ", ")))
			break
		}
		d = diags.Errorf("invalid-value", node.Pos, path, "%s cannot be %s", name, got(node))
		hint := orElse(diag.DidYouMean(node.String(), allowed), "write one of "+strings.Join(allowed, ", "))
		if turned := turnedAround[node.String()]; contains(allowed, turned) {
			hint = fmt.Sprintf("did you mean %q?", turned)
		}
		d.WithHint("%s", hint)
	case "minimum":
		d = diags.Errorf("invalid-value", node.Pos, path, "%s must be at least %v, got %s", name, f.schema["minimum"], node.String())
	case "maximum":
		d = diags.Errorf("invalid-value", node.Pos, path, "%s must be at most %v, got %s", name, f.schema["maximum"], node.String())
	case "exclusiveMinimum":
		d = diags.Errorf("invalid-value", node.Pos, path, "%s must be greater than %v, got %s", name, f.schema["exclusiveMinimum"], node.String())
	default:
		d = diags.Errorf("invalid-value", node.Pos, path, "%s is not valid here", got(node))
	}
	if node.Kind == Scalar {
		d.Length = len([]rune(node.Text))
	}
	if hint, ok := f.schema["x-hint"].(string); ok {
		d.WithHint("%s", hint)
	}
	if d.Hint == "" && f.keyword == "type" {
		d.WithHint("%s", shape(f.schema, node, name))
	}
	if d.Hint == "" {
		if p, key := r.describe(path); p != "" {
			d.WithHint("%s: %s", key, p)
		}
	}
}

// turnedAround are comparisons with their signs in the wrong order.
var turnedAround = map[string]string{"=>": ">=", "=<": "<="}

// shape shows how a value is written that shall be a list, or "".
func shape(schema schemaNode, n *Node, name string) string {
	if types := texts(schema["type"]); !contains(types, "array") || contains(types, "string") {
		return ""
	}
	switch n.Kind {
	case Scalar:
		return fmt.Sprintf("write %s: [%s]", name, diag.Shorten(strings.TrimSpace(n.String()), 40))
	case Mapping:
		return fmt.Sprintf("begin each item of %s with a dash, as in \"- %s: …\"", name, firstKey(n))
	}
	return ""
}

func firstKey(n *Node) string {
	if len(n.Entries) == 0 {
		return "key"
	}
	return n.Entries[0].Key
}

// moduleElsewhere says where a reporter belongs that stands among services, and the other way round.
func (r *schemaReport) moduleElsewhere(word, name string) string {
	other := map[string]string{"reporter": "services", "service": "reporting"}[word]
	list := texts(r.schema.at("/$defs/" + other + "-name")["enum"])
	if !contains(list, name) {
		return ""
	}
	return fmt.Sprintf("list it under %q: %s: [%s]", other, other, name)
}

// describe finds the description that holds at a dotted path and the last key that has it, by walking
// document and schema together. It is the path's own key, or the one above a name of the user's.
func (r *schemaReport) describe(path string) (description, key string) {
	applying := r.schema.expand(r.schema.raw, r.doc)
	node, text := r.doc, ""
	for part := range strings.SplitSeq(path, ".") {
		var next []schemaNode
		for _, s := range applying {
			if p := childSchema(s, node, part); p != nil {
				next = append(next, p)
			}
		}
		node, applying = node.At(part), nil
		for _, s := range next {
			if t, ok := s["description"].(string); ok {
				text, key = t, part
			}
			applying = append(applying, r.schema.expand(s, node)...)
		}
	}
	return sentence(text), key
}

// lastName is the last part of a dotted path that is no index.
func lastName(path string) string {
	for {
		name := lastPart(path)
		if strings.Trim(name, "0123456789") != "" || name == path {
			return name
		}
		path = path[:len(path)-len(name)-1]
	}
}

func childSchema(s schemaNode, node *Node, part string) schemaNode {
	if node != nil && node.Kind == Sequence {
		item, _ := s["items"].(schemaNode)
		return item
	}
	properties, _ := s["properties"].(schemaNode)
	if p, ok := properties[part].(schemaNode); ok {
		return p
	}
	p, _ := s["additionalProperties"].(schemaNode)
	return p
}

func (r *schemaReport) property(s schemaNode, key string) schemaNode {
	properties, _ := s["properties"].(schemaNode)
	p, _ := properties[key].(schemaNode)
	return p
}

// title names the innermost block around a place in the schema.
func (r *schemaReport) title(pointer string) string {
	for {
		if title, ok := r.schema.at(pointer)["title"].(string); ok {
			return title
		}
		slash := strings.LastIndexByte(pointer, '/')
		if slash < 0 {
			return "this block"
		}
		pointer = pointer[:slash]
	}
}

// expects says in words what a schema allows.
func (r *schemaReport) expects(s schemaNode) string {
	if text, ok := s["x-expects"].(string); ok {
		return text
	}
	words := map[string]string{
		"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
		"array": "a list", "object": "a mapping", "null": "nothing",
	}
	var out []string
	for _, t := range texts(s["type"]) {
		out = append(out, words[t])
	}
	if len(out) == 0 {
		return "something else"
	}
	return strings.Join(out, " or ")
}

// got describes a value that is not what was expected.
func got(n *Node) string {
	switch n.Kind {
	case Mapping:
		return "a mapping"
	case Sequence:
		return "a list"
	case Null:
		return "nothing"
	}
	return fmt.Sprintf("%q", diag.Shorten(n.Text, 60))
}
