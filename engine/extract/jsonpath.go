package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
	"github.com/tidwall/gjson"
)

// JSONQuery is a compiled JSONPath. It is immutable and shared by all users.
type JSONQuery struct {
	source string
	path   *jsonpath.Path
	steps  []scanStep     // of the chain of names, indexes and all elements that the path begins with
	plain  bool           // the path is such a chain as a whole, so that nothing is decoded
	many   bool           // … and it goes over all elements of lists
	rest   *jsonpath.Path // what follows the chain, from the value that it leads to; nil: decode the body as a whole
	length bool           // the number of elements is meant, not the elements
	sorted bool           // the path may walk over the members of an object, whose order decoding loses
}

// JSONMatch is a value that a path selects.
type JSONMatch struct {
	Text string // a string as it is, null as "", other values as JSON; may share the response's memory
	Null bool
	JSON bool // it is no string: Text is a JSON value, or "" for null
}

// CompileJSONPath compiles a path of RFC 9535, or in a spelling that [Rewrite] knows.
func CompileJSONPath(text string) (*JSONQuery, error) {
	rewritten, length, err := Rewrite(text)
	if err != nil {
		return nil, err
	}
	if len(rewritten) > 8<<10 {
		return nil, errors.New("the path is longer than 8 KiB")
	}
	path, err := jsonpath.Parse(rewritten)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	q := &JSONQuery{source: text, path: path, length: length}
	q.plan()
	return q, nil
}

// plan finds out how much of the path can be scanned.
func (q *JSONQuery) plan() {
	q.plain = true
	segments := q.path.Query().Segments()
	scanned := 0
	for _, segment := range segments {
		if segment.IsDescendant() {
			q.sorted = true
		}
		for _, selector := range segment.Selectors() {
			switch selector.(type) {
			case spec.Name, spec.Index, spec.SliceSelector:
			default:
				q.sorted = true
			}
		}
		q.plain = q.plain && !segment.IsDescendant() && len(segment.Selectors()) == 1 && q.scan(segment.Selectors()[0])
		if q.plain {
			scanned++
		}
	}
	all := slices.IndexFunc(q.steps, scanStep.all)
	if q.plain {
		q.many = all >= 0
		return
	}
	if all >= 0 { // what follows has one value to go on from
		scanned, q.steps = all, q.steps[:all]
	}
	if scanned == 0 {
		return
	}
	// A filter that looks back at the root needs the whole body.
	rest := jsonpath.New(spec.Query(true, segments[scanned:]...))
	if !strings.Contains(rest.String()[1:], "$") {
		q.rest = rest
	}
}

// scan adds a selector to the steps, and reports false when it cannot be scanned.
func (q *JSONQuery) scan(selector spec.Selector) bool {
	switch s := selector.(type) {
	case spec.WildcardSelector:
		q.steps = append(q.steps, scanStep{index: allElements})
		return true
	case spec.Index:
		if s < 0 || int64(s) > math.MaxInt32 {
			return false
		}
		q.steps = append(q.steps, scanStep{index: int(s)})
		return true
	case spec.Name:
		if !utf8.ValidString(string(s)) {
			return false
		}
		q.steps = append(q.steps, scanStep{name: string(s), index: byName})
		return true
	}
	return false
}

// Source returns the path as written.
func (q *JSONQuery) Source() string { return q.source }

// Each calls yield with every value that the path selects, in document order as far as decoding
// keeps it, until it returns false. The error says why the body is not JSON.
func (q *JSONQuery) Each(r *Response, yield func(JSONMatch) bool) error {
	if q.many {
		return q.eachScanned(r, yield)
	}
	if q.plain || q.rest != nil && !r.json.done {
		value, ok := q.lookUp(r)
		switch {
		case !ok && gjson.ValidBytes(r.Body):
			return nil
		case !ok:
			_, err := r.exactJSON()
			return err
		case q.plain:
			yield(q.scanned(value))
			return nil
		case len(value.Raw) <= len(r.Body)/decodeShare:
			if tree, err := decodeExact([]byte(value.Raw)); err == nil {
				q.each(q.rest, tree, yield)
				return nil
			}
		}
	}
	tree, err := r.exactJSON()
	if err != nil {
		return err
	}
	q.each(q.path, tree, yield)
	return nil
}

// eachScanned is Each for a path over all elements of lists. Where one of these is an object instead, its members have to be
// sorted: the body is decoded then, and the matches that were given already are passed by.
func (q *JSONQuery) eachScanned(r *Response, yield func(JSONMatch) bool) error {
	given := 0
	_, lists := scanEach(r.Body, q.steps, &r.members, func(text []byte) bool {
		value := parsed(textOf(text))
		if !value.Exists() {
			return true
		}
		given++
		return yield(q.scanned(value))
	})
	if lists && (given > 0 || gjson.ValidBytes(r.Body)) {
		return nil
	}
	tree, err := r.exactJSON()
	if err != nil {
		return err
	}
	q.each(q.path, tree, func(m JSONMatch) bool {
		given--
		return given >= 0 || yield(m)
	})
	return nil
}

// decodeShare says which part of a body is small enough to be decoded by itself: for more, the body
// is decoded as a whole, since other paths can share that.
const decodeShare = 4

func (q *JSONQuery) each(path *jsonpath.Path, tree any, yield func(JSONMatch) bool) {
	for _, node := range q.nodes(path, tree) {
		if !yield(q.match(node)) {
			return
		}
	}
}

// lookUp scans the body for the chain that the path begins with.
func (q *JSONQuery) lookUp(r *Response) (gjson.Result, bool) {
	if len(q.steps) == 0 {
		body := r.bodyText()
		if !gjson.Valid(body) {
			return gjson.Result{}, false
		}
		return parsed(body), true
	}
	text, ok := scanFor(r.Body, q.steps, &r.members)
	if !ok {
		return gjson.Result{}, false
	}
	value := parsed(textOf(text))
	return value, value.Exists()
}

// parsed is gjson.Parse without the value of a number, since only its text is asked for: to find it takes a kilobyte of stack, and
// the stacks of ten thousand users would grow to twice their size for it.
func parsed(text string) gjson.Result {
	if text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
		return gjson.Result{Type: gjson.Number, Raw: text}
	}
	return gjson.Parse(text)
}

// scanned turns a scanned value into a match.
func (q *JSONQuery) scanned(v gjson.Result) JSONMatch {
	switch {
	case q.length:
		n := len(v.Array())
		if v.IsObject() {
			n = len(v.Map())
		} else if v.Type == gjson.String {
			n = utf8.RuneCountInString(v.Str)
		}
		return JSONMatch{Text: strconv.Itoa(n), JSON: true}
	case v.Type == gjson.Null:
		return JSONMatch{Null: true, JSON: true}
	case v.Type == gjson.String:
		return JSONMatch{Text: v.Str}
	}
	text := strings.TrimSpace(v.Raw)
	return JSONMatch{Text: text, JSON: gjson.Valid(text)} // scanning does not look at everything
}

// nodes selects from a decoded tree.
func (q *JSONQuery) nodes(path *jsonpath.Path, tree any) []any {
	if !q.sorted {
		return path.Select(tree)
	}
	located := path.SelectLocated(tree)
	located.Sort()
	nodes := make([]any, 0, len(located))
	for _, node := range located {
		nodes = append(nodes, node.Node)
	}
	return nodes
}

// match turns a decoded value into a match.
func (q *JSONQuery) match(node any) JSONMatch {
	if q.length {
		return JSONMatch{Text: strconv.Itoa(lengthOf(node)), JSON: true}
	}
	switch v := node.(type) {
	case nil:
		return JSONMatch{Null: true, JSON: true}
	case string:
		return JSONMatch{Text: v}
	case json.Number:
		return JSONMatch{Text: string(v), JSON: true}
	case bool:
		return JSONMatch{Text: strconv.FormatBool(v), JSON: true}
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(node) // a decoded tree can always be encoded
	return JSONMatch{Text: strings.TrimSuffix(b.String(), "\n"), JSON: true}
}

func lengthOf(node any) int {
	switch v := node.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case string:
		return utf8.RuneCountInString(v)
	case nil:
		return 0
	}
	return 1
}

func (q *JSONQuery) find(r *Response, limit int, h *hits) error {
	return q.Each(r, func(m JSONMatch) bool {
		if m.JSON {
			h.addJSON(m.Text)
		} else {
			h.add(m.Text)
		}
		return len(h.values) < limit
	})
}
