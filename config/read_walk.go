package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/stacrun/stacrun/diag"
)

// Limits that keep a hostile file from costing more than it weighs.
const (
	maxDepth    = 500     // levels of nesting
	maxExpanded = 100_000 // nodes that come out of aliases
)

// reader walks the library's nodes into ours.
type reader struct {
	name     string
	tabs     map[int]tabRun
	diags    diag.List
	path     []string            // keys and indexes down to where the walk is
	active   map[*yaml.Node]bool // anchored nodes that the walk is inside of
	aliases  int                 // aliases that the walk is inside of
	expanded int                 // nodes made inside of aliases
	full     bool                // the limit was reached and reported
}

func (r *reader) pos(line, column int) diag.Pos {
	if run, ok := r.tabs[line]; ok {
		column = run.column(column)
	}
	return diag.Pos{File: r.name, Line: line, Column: column}
}

func (r *reader) at(n *yaml.Node) diag.Pos { return r.pos(n.Line, n.Column) }

func (r *reader) dotted() string { return strings.Join(r.path, ".") }

// inside walks with one more part on the path.
func (r *reader) inside(part string, walk func() *Node) *Node {
	r.path = append(r.path, PathPart(part))
	defer func() { r.path = r.path[:len(r.path)-1] }()
	return walk()
}

// warnTabs names the lines whose tabs were replaced, neighbours together.
func (r *reader) warnTabs() {
	numbers := slices.Sorted(maps.Keys(r.tabs))
	for i := 0; i < len(numbers); {
		first := numbers[i]
		last := first
		for i++; i < len(numbers) && numbers[i] == last+1; i++ {
			last++
		}
		where := "of this line"
		if last > first {
			where = fmt.Sprintf("of lines %d to %d", first, last)
		}
		r.diags.Warnf("tab", diag.Pos{File: r.name, Line: first, Column: r.tabs[first].spaces + 1}, "",
			"tabs in the indentation %s were read as %d spaces", where, tabWidth).WithHint("indent with spaces")
	}
}

// document walks one document; nil when it is empty or no mapping.
func (r *reader) document(n *yaml.Node) *Node {
	doc := r.node(n)
	switch doc.Kind {
	case Mapping:
		return doc
	case Null:
		return nil
	case Sequence:
		r.diags.Errorf("not-a-mapping", doc.Pos, "", "a document must be a mapping, this one is a list").
			WithHint(`put the list under a key, such as "execution:"`)
	default:
		r.diags.Errorf("not-a-mapping", doc.Pos, "", "a document must be a mapping, this one is the text %q", diag.Shorten(doc.Text, 40)).
			WithHint(`write keys and values, such as "execution: [...]"; is this a scenario file?`)
	}
	return nil
}

func (r *reader) node(n *yaml.Node) *Node {
	if n.Kind == yaml.AliasNode {
		return r.alias(n)
	}
	null := &Node{Kind: Null, Pos: r.at(n)}
	if len(r.path) > maxDepth {
		r.limit("too-deep", n, "nested deeper than %d levels", maxDepth)
		return null
	}
	if r.aliases > 0 {
		if r.expanded++; r.expanded > maxExpanded {
			r.limit("too-many-aliases", n, "aliases expand to more than %d values", maxExpanded)
			return null
		}
	}
	if n.Anchor != "" {
		if r.active == nil {
			r.active = map[*yaml.Node]bool{}
		}
		r.active[n] = true
		defer delete(r.active, n)
	}
	r.tag(n)
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n)
	case yaml.SequenceNode:
		list := &Node{Kind: Sequence, Pos: r.at(n), Items: make([]*Node, 0, len(n.Content))}
		for i, item := range n.Content {
			list.Items = append(list.Items, r.inside(itoa(i), func() *Node { return r.node(item) }))
		}
		return list
	}
	return r.scalar(n)
}

// limit reports once a file that goes beyond a limit.
func (r *reader) limit(code string, n *yaml.Node, format string, args ...any) {
	if !r.full {
		r.full = true
		r.diags.Errorf(code, r.at(n), "", format, args...)
	}
}

func (r *reader) scalar(n *yaml.Node) *Node {
	const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	node := &Node{Kind: Scalar, Text: n.Value, Pos: r.at(n)}
	tagged := n.Style&yaml.TaggedStyle != 0
	switch tag := n.ShortTag(); {
	case tagged && (tag == "!!str" || tag == "!"):
		node.Quoted = true
	case tagged && tag == "!!null":
		return &Node{Kind: Null, Pos: node.Pos}
	case tagged && (tag == "!!int" || tag == "!!float" || tag == "!!bool"):
		// The tag asks for a type that the text alone would not have.
	case n.Style&quotes != 0:
		node.Quoted = true
	case isNull(n.Value):
		return &Node{Kind: Null, Pos: node.Pos}
	}
	return node
}

func isNull(text string) bool {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// tag refuses tags that ask for a type of their own: dropping them would change what was meant.
func (r *reader) tag(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle == 0 {
		return
	}
	switch tag := n.ShortTag(); tag {
	case "!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp":
	default:
		d := r.diags.Errorf("unknown-tag", r.at(n), r.dotted(), "unknown tag %q", tag)
		switch strings.ToLower(strings.TrimLeft(tag, "!")) {
		case "include", "import":
			d.Code = "include-tag"
			d.WithHint(`list the file under "included-configs"`)
		case "env", "env_var", "getenv":
			d.WithHint("import the variable with settings.env: {NAME: ${NAME}} and write ${NAME}")
		default:
			d.WithHint("leave the tag out; if the value begins with an exclamation mark, quote it")
		}
	}
}

// alias copies what an alias stands for. Its top has the position of the use, with that of the
// definition in Anchor; what is inside keeps the place where its text stands.
func (r *reader) alias(n *yaml.Node) *Node {
	use := r.at(n)
	if r.active[n.Alias] {
		r.diags.Errorf("alias-cycle", use, r.dotted(), "alias %q stands inside the value that it names", "*"+n.Value).
			WithHint("write out what is meant, or define the shared part on its own").
			WithNote(r.at(n.Alias), "&%s is defined here", n.Value)
		return &Node{Kind: Null, Pos: use}
	}
	r.aliases++
	node := r.node(n.Alias)
	r.aliases--
	node.Anchor, node.Pos = node.Pos, use
	return node
}
