package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// decode turns the normalised document into the types of [File]. Values whose type the schema has
// already refused are passed over without another word.
func (l *loader) decode() {
	d := &decoder{loader: l, properties: map[string]string{}, warnedResources: map[string]bool{}, warnedChecks: map[string]bool{}}
	d.settings()
	d.scenarios()
	d.executions()
	d.includes()
	d.criteria()
	d.studies()
	l.file.Reporting = d.modules("reporting")
	l.file.Services = d.modules("services")
	l.diags.Add(d.hinted(d.news(l.diags))...)
}

// hinted gives errors without a hint the description of their key.
func (d *decoder) hinted(list diag.List) diag.List {
	schema, err := loadSchema()
	if err != nil {
		return list
	}
	r := schemaReport{schema: schema, doc: d.doc}
	for i := range list {
		if e := &list[i]; e.Hint == "" && e.Severity == diag.Error {
			if text, key := r.describe(e.Path); text != "" {
				e.WithHint("%s: %s", key, text)
			}
		}
	}
	return list
}

// decoder collects what it finds wrong apart from the schema's findings, so that one mistake is
// told once.
type decoder struct {
	*loader
	diags      diag.List
	properties map[string]string // what ${__P(name)} reads in load values of the execution at hand
	setup      []Step            // of setup and teardown blocks among the requests of the scenario at hand
	teardown   []Step

	warnedResources map[string]bool // scenarios about whose embedded resources was warned
	warnedChecks    map[string]bool // … and about whose assertions and extractors
}

// news drops what follows from a mistake that the schema has found: what stands at a wrong value or
// inside it, a key that is missing where an unknown one stands, and what the keys of an execution
// mean together when one of them is misspelt.
func (d *decoder) news(earlier diag.List) diag.List {
	wrong := map[diag.Pos]bool{}
	var inside, misspelt []string // dotted paths that end in a dot
	noScenarios := false
	for _, e := range earlier {
		if e.Severity != diag.Error {
			continue
		}
		wrong[e.Pos] = true
		noScenarios = noScenarios || e.Path == "scenarios" && e.Code == "wrong-type" || e.Hint == `did you mean "scenarios"?`
		switch {
		case e.Path == "":
		case e.Code == "wrong-type":
			inside = append(inside, e.Path+".")
		case e.Code == "unknown-key":
			misspelt = append(misspelt, e.Path[:strings.LastIndexByte("."+e.Path, '.')]) // of the mapping
		}
	}
	return slices.DeleteFunc(d.diags, func(e diag.Diagnostic) bool {
		under := func(p string) bool { return strings.HasPrefix(e.Path+".", p) }
		switch {
		case e.Pos.Known() && wrong[e.Pos], slices.ContainsFunc(inside, under):
			return true
		case e.Code == "missing-key":
			// a single value may have become the only element of a list meanwhile
			return slices.Contains(misspelt, e.Path+".") || slices.Contains(misspelt, strings.TrimSuffix(e.Path, ".0")+".")
		case e.Code == "conflict" && slices.Contains(misspelt, e.Path+"."):
			return true // what a stage lacks is the key that was misspelt
		case e.Code == "unknown-scenario":
			return noScenarios // where they stand is wrong, and that is told
		case e.Code == "load" || e.Code == "endless":
			return slices.ContainsFunc(misspelt, func(p string) bool { return p != "" && under(p) })
		}
		return false
	})
}

// at is a value with the dotted path that leads to it.
type at struct {
	*Node
	path string
}

// get returns the value of a key; its Node is nil when the key is absent or empty, and its path then the mapping's, since most
// keys are absent and a path costs.
func (a at) get(key string) at {
	n := a.Node.Get(key)
	if n == nil || n.Kind == Null {
		return at{nil, a.path}
	}
	return at{n, a.path + "." + PathPart(key)}
}

// scalar reports whether a text, number or boolean stands there.
func (a at) scalar() bool { return a.Node != nil && a.Kind == Scalar }

// items lists the elements of a list.
func (a at) items() []at {
	if a.Node == nil || a.Kind != Sequence {
		return nil
	}
	out := make([]at, len(a.Items))
	for i, item := range a.Items {
		out[i] = at{item, a.path + "." + itoa(i)}
	}
	return out
}

// mappings lists the elements of a list that are mappings.
func (a at) mappings() []at {
	return slices.DeleteFunc(a.items(), func(item at) bool { return item.Node == nil || item.Kind != Mapping })
}

// entries lists the entries of a mapping.
func (a at) entries() []Entry {
	if a.Node == nil || a.Kind != Mapping {
		return nil
	}
	return a.Node.Entries
}

// root is the document.
func (d *decoder) root(key string) at {
	n := d.doc.Get(key)
	if n != nil && n.Kind == Null {
		n = nil
	}
	return at{n, key}
}

// text reads a scalar as it was written.
func (d *decoder) text(a at) Text {
	if !a.scalar() {
		return Text{}
	}
	return Text{Value: a.Text, Pos: a.Pos, Path: a.path}
}

// word reads a scalar as a plain string, "" when absent.
func (d *decoder) word(a at) string { return d.text(a).Value }

// textList reads a list of scalars, or one.
func (d *decoder) textList(a at) []Text {
	if a.scalar() {
		return []Text{d.text(a)}
	}
	var out []Text
	for _, item := range a.items() {
		if item.scalar() {
			out = append(out, d.text(item))
		}
	}
	return out
}

func values(list []Text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Value)
	}
	return out
}

// flag reads a boolean.
func (d *decoder) flag(a at) Value[bool] {
	if !a.scalar() {
		return Value[bool]{}
	}
	b, ok := a.Bool()
	if !ok {
		d.diags.Errorf("wrong-type", a.Pos, a.path, "expected true or false, got %q", a.Text)
		return Value[bool]{}
	}
	return Value[bool]{V: b, Set: true, Pos: a.Pos}
}

// variables reads a mapping of names to values, in order.
func (d *decoder) variables(a at) []Variable {
	var out []Variable
	for _, e := range a.entries() {
		out = append(out, Variable{Name: strings.TrimSpace(e.Key), Value: e.Value})
	}
	return out
}

// textMap reads a mapping of names to scalars.
func textMap(a at) map[string]string {
	out := map[string]string{}
	for _, e := range a.entries() {
		out[e.Key] = e.Value.String()
	}
	return out
}

// resolveFile finds a file that the document names and reports where it was looked for otherwise.
func (d *decoder) resolveFile(a at, what string) string {
	if !a.scalar() {
		return ""
	}
	if isBlank(a.Text) {
		d.diags.Errorf("missing-file", a.Pos, a.path, "the name of the %s is empty", what)
		return ""
	}
	found, tried := d.find(a.Text, a.Pos)
	if found == "" {
		e := d.diags.Errorf("missing-file", a.Pos, a.path, "%s %q does not exist", what, a.Text)
		e.Length = len([]rune(a.Text))
		e.WithHint("looked for %s", d.inFull(tried))
	}
	return found
}

var loadReference = regexp.MustCompile(`\$\{([^{}]*)\}`)

// isTemplate reports whether a text is only known at run time.
func isTemplate(s string) bool { return strings.Contains(s, "${") }

// resolved reads a scalar that may hold ${__P(name, default)}, ${__property(name, var, default)},
// ${__env(name, var, default)} or ${name}, which are replaced by the properties' values: load
// values must be known before the run.
func (d *decoder) resolved(a at) (string, bool) {
	if !a.scalar() {
		return "", false
	}
	good := true
	text := loadReference.ReplaceAllStringFunc(a.Text, func(ref string) string {
		value, ok := d.lookup(strings.TrimSpace(ref[2 : len(ref)-1]))
		if !ok {
			good = false
			d.diags.Errorf("unresolved", a.Pos, a.path, "%s is not known before the run", ref).
				WithHint("set it as a property: modules.jmeter.properties, or \"properties\" of the scenario, or write ${__P(NAME,DEFAULT)}")
		}
		return value
	})
	return text, good
}

func (d *decoder) lookup(expression string) (string, bool) {
	name, arguments, isCall := strings.Cut(expression, "(")
	if !isCall {
		value, ok := d.properties[strings.TrimSpace(name)]
		return value, ok
	}
	arguments, closed := strings.CutSuffix(strings.TrimSpace(arguments), ")")
	if !closed {
		return "", false
	}
	args := strings.Split(arguments, ",")
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
	}
	argument := func(i int, fallback string) string {
		if i < len(args) {
			return args[i]
		}
		return fallback
	}
	switch strings.TrimSpace(name) {
	case "__P":
		if value, ok := d.properties[args[0]]; ok {
			return value, true
		}
		return argument(1, "1"), true
	case "__property":
		if value, ok := d.properties[args[0]]; ok {
			return value, true
		}
		return argument(2, args[0]), true
	case "__env":
		if value, ok := d.getenv(args[0]); ok {
			return value, true
		}
		return argument(2, ""), len(args) > 2
	}
	return "", false
}
