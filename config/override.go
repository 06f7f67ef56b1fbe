package config

import (
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// maxIndex bounds the lists that an override may create.
const maxIndex = 10_000

// overrides applies the "path=value" arguments in order. A value replaces what was there; it is
// read as YAML, or taken as text where it is none.
func (l *loader) overrides() {
	var source strings.Builder
	line := 1
	for _, arg := range l.opts.Overrides {
		start := diag.Pos{File: overrideName, Line: line, Column: 1}
		source.WriteString(arg + "\n")
		line += strings.Count(arg, "\n") + 1
		o, mistake := parseOverride(arg, start)
		if mistake != nil {
			l.diags.Add(*mistake)
			continue
		}
		if mistake := applyOverride(l.doc, o); mistake != nil {
			l.diags.Add(*mistake)
			continue
		}
		if o.parts[0].text == "included-configs" {
			d := l.diags.Warnf("override-without-effect", o.parts[0].pos, "included-configs", "overriding included-configs has no effect: files are included before")
			d.WithHint("name the file on the command line, after the others")
			d.Length = len([]rune(o.parts[0].text))
		}
	}
	if source.Len() > 0 {
		l.file.Sources[overrideName] = []byte(source.String())
	}
}

// applyOverride changes doc, or says what does not fit.
func applyOverride(doc *Node, o override) *diag.Diagnostic {
	o.parts = onlyExecution(doc, o.parts)
	at := doc
	last := len(o.parts) - 1
	for i := range last {
		if d := at.grow(o.parts, i); d != nil {
			return d
		}
		at = at.step(o.parts, i)
	}
	part := o.parts[last]
	switch directive, name := part.directive(); directive {
	case '^':
		return deletePart(at, o.parts, name)
	case '*':
		setEverywhere(at, name, o, part.pos)
		return nil
	}
	existed := at.Kind == Mapping || part.index < len(at.Items)
	if d := at.grow(o.parts, last); d != nil {
		return d
	}
	value := overrideValue(o)
	if at.Kind == Mapping {
		if old := at.Get(part.text); old != nil {
			hide(value, old)
		}
		at.Set(part.text, part.pos, value)
		return nil
	}
	if part.index < 0 {
		at.Items = append(at.Items, value)
		return nil
	}
	if existed {
		hide(value, at.Items[part.index])
	}
	at.Items[part.index] = value
	return nil
}

// onlyExecution lets "execution.key" mean "execution.0.key" when there is one execution, or none yet.
func onlyExecution(doc *Node, parts []pathPart) []pathPart {
	if len(parts) < 2 || parts[0].text != "execution" || parts[1].isInt {
		return parts
	}
	directive, name := parts[1].directive()
	if _, err := strconv.Atoi(name); directive == '*' || directive == '^' && err == nil && len(parts) == 2 {
		return parts
	}
	list := doc.Get("execution")
	if list != nil && list.Kind != Null && (list.Kind != Sequence || len(list.Items) > 1) {
		return parts
	}
	first := pathPart{text: "0", isInt: true, pos: parts[1].pos}
	return append([]pathPart{parts[0], first}, parts[1:]...)
}

// grow makes n fit for part i: what is empty becomes the mapping or list that the part needs, the
// short form of an entry its long form, and a list long enough for an index.
func (n *Node) grow(parts []pathPart, i int) *diag.Diagnostic {
	part := parts[i]
	pos := part.pos
	if n.Kind == Null {
		n.Kind, n.Pos = Mapping, pos
		if part.isInt {
			n.Kind = Sequence
		}
	}
	if n.Kind == Scalar && !part.isInt {
		if key := longForm(parts[:i]); key != "" {
			text := *n
			*n = Node{Kind: Mapping, Pos: n.Pos, Entries: []Entry{{key, n.Pos, &text}}}
		}
	}
	switch {
	case n.Kind == Scalar:
		return misfit(parts, i, "point at a key above it", "%q is the text %q and has nothing inside", dotted(parts[:i]), diag.Shorten(n.Text, 40))
	case n.Kind == Sequence && !part.isInt:
		hint := "write an index, such as " + dotted(parts[:i]) + ".0." + PathPart(part.text) + "; a negative index appends"
		return misfit(parts, i, hint, "%q is a list of %d, so its items have no key %q", dotted(parts[:i]), len(n.Items), part.text)
	case n.Kind == Sequence && part.index > maxIndex:
		return misfit(parts, i, "", "index %d is beyond the limit of %d", part.index, maxIndex)
	case n.Kind == Sequence:
		for part.index >= len(n.Items) {
			n.Items = append(n.Items, &Node{Kind: filler(parts, i), Pos: pos})
		}
	}
	return nil
}

// filler is the kind of the items that a list is padded with: what the next part needs.
func filler(parts []pathPart, i int) Kind {
	if i+1 < len(parts) && parts[i+1].isInt {
		return Sequence
	}
	return Mapping
}

// step goes down by part i, for which n has been made fit, and creates what is missing.
func (n *Node) step(parts []pathPart, i int) *Node {
	part := parts[i]
	if n.Kind == Sequence {
		if part.index < 0 {
			n.Items = append(n.Items, &Node{Kind: filler(parts, i), Pos: part.pos})
			return n.Items[len(n.Items)-1]
		}
		return n.Items[part.index]
	}
	next := n.Get(part.text)
	if next == nil {
		next = &Node{Kind: filler(parts, i), Pos: part.pos}
		n.Set(part.text, part.pos, next)
	}
	return next
}

// longForm gives the key that a text at this path is short for, or "".
func longForm(path []pathPart) string {
	if len(path) < 2 {
		return ""
	}
	last, parent := path[len(path)-1], path[len(path)-2].text
	switch {
	case len(path) == 2 && last.isInt && (parent == "reporting" || parent == "services"):
		return "module"
	case len(path) == 2 && parent == "modules":
		return "class"
	case last.isInt && path[0].text == "scenarios":
		switch parent {
		case "requests", "do", "then", "else", "setup", "teardown":
			return "url"
		}
	}
	return ""
}

func deletePart(at *Node, parts []pathPart, name string) *diag.Diagnostic {
	i := len(parts) - 1
	switch at.Kind {
	case Mapping:
		at.Delete(name)
	case Sequence:
		index, err := strconv.Atoi(name)
		if err != nil {
			return misfit(parts, i, "write the index of the item, such as ^0", "%q is a list, so it has no key %q to delete", dotted(parts[:i]), name)
		}
		if index < 0 {
			index += len(at.Items)
		}
		if index >= 0 && index < len(at.Items) {
			at.Items = append(at.Items[:index], at.Items[index+1:]...)
		}
	case Scalar:
		return misfit(parts, i, "", "%q is the text %q and has nothing inside", dotted(parts[:i]), diag.Shorten(at.Text, 40))
	}
	return nil
}

// setEverywhere sets every key of that name below n, and every list item that equals it. The value
// stays text, as in Taurus; where a number is asked for, it is one.
func setEverywhere(n *Node, name string, o override, keyPos diag.Pos) {
	value := func(old *Node) *Node {
		v := &Node{Kind: Scalar, Text: o.value, Quoted: isNull(o.value), Pos: o.valuePos}
		hide(v, old)
		return v
	}
	for i := range n.Entries {
		e := &n.Entries[i]
		if e.Key == name {
			e.Value, e.KeyPos = value(e.Value), keyPos
			continue
		}
		setEverywhere(e.Value, name, o, keyPos)
	}
	for i, item := range n.Items {
		if item.Kind == Scalar && item.Text == name {
			n.Items[i] = value(item)
			continue
		}
		setEverywhere(item, name, o, keyPos)
	}
}

// overrideValue reads the value as YAML, or as text where it is none.
func overrideValue(o override) *Node {
	r := &reader{name: overrideName}
	text := []byte(o.value)
	plain := &Node{Kind: Scalar, Text: o.value, Quoted: true, Pos: o.valuePos}
	if firstInvalid(text) >= 0 {
		return plain
	}
	nodes, failure := parse(text)
	switch {
	case failure != nil || len(nodes) > 1:
		return plain
	case len(nodes) == 0:
		return &Node{Kind: Null, Pos: o.valuePos}
	}
	value := r.node(nodes[0])
	if r.diags.HasErrors() {
		return plain
	}
	value.move(o.valuePos)
	return value
}

// move shifts places inside a value to places inside the text that the value begins in.
func (n *Node) move(start diag.Pos) {
	shift := func(p diag.Pos) diag.Pos {
		if p.Line <= 1 {
			p.Column += start.Column - 1
		}
		p.Line = max(p.Line, 1) + start.Line - 1
		p.File = start.File
		return p
	}
	n.Pos = shift(n.Pos)
	if n.Anchor.Known() {
		n.Anchor = shift(n.Anchor)
	}
	for i := range n.Entries {
		n.Entries[i].KeyPos = shift(n.Entries[i].KeyPos)
		n.Entries[i].Value.move(start)
	}
	for _, item := range n.Items {
		item.move(start)
	}
}

func misfit(parts []pathPart, i int, hint, format string, args ...any) *diag.Diagnostic {
	var list diag.List
	d := list.Errorf("bad-override", parts[i].pos, dotted(parts), format, args...)
	return d.WithHint("%s", hint)
}
