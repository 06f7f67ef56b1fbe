package assert

import (
	"fmt"

	"github.com/stacrun/stacrun/engine/extract"
)

// query is a compiled JSONPath, XPath or CSS selector. each calls yield with what it selects until
// yield returns false; truth is the query as a condition.
type query interface {
	each(r *extract.Response, yield func(text string, null bool) bool) (truth bool, err error)
}

type jsonQuery struct{ *extract.JSONQuery }

func (q jsonQuery) each(r *extract.Response, yield func(string, bool) bool) (truth bool, err error) {
	err = q.Each(r, func(m extract.JSONMatch) bool {
		truth = true
		return yield(m.Text, m.Null)
	})
	return truth, err
}

type xpathQuery struct{ *extract.XPath }

func (q xpathQuery) each(r *extract.Response, yield func(string, bool) bool) (bool, error) {
	return q.Each(r, func(text string) bool { return yield(text, false) })
}

type cssQuery struct{ *extract.CSS }

func (q cssQuery) each(r *extract.Response, yield func(string, bool) bool) (truth bool, err error) {
	err = q.Each(r, func(text string) bool {
		truth = true
		return yield(text, false)
	})
	return truth, err
}

// valueTest asks whether a query selects anything, or anything that is as expected.
type valueTest[C any] struct {
	noun       string // "the JSONPath"
	source     string // the query, when it is the same for everyone
	fixed      query  // compiled from source; nil: rendered per user
	text       extract.Text[C]
	compile    func(text string) (query, error)
	cache      *extract.Cache[query]
	not        bool
	expectNull bool
	expected   *expectation[C]
}

func (b *builder[C]) jsonpath() []test[C] {
	return b.values("the JSONPath", "bad-jsonpath", "a path looks like $.features[0].id (RFC 9535)", func(text string) (query, error) {
		q, err := extract.CompileJSONPath(text)
		return jsonQuery{q}, err
	})
}

func (b *builder[C]) xpath() []test[C] {
	tolerant, namespaces := b.spec.Tolerant, b.spec.Namespaces
	return b.values("the XPath", "bad-xpath", "a query looks like //link[@rel='next'] (XPath 1.0)", func(text string) (query, error) {
		q, err := extract.CompileXPath(text, tolerant, namespaces)
		return xpathQuery{q}, err
	})
}

func (b *builder[C]) css() []test[C] {
	return b.values("the CSS selector", "bad-css", "a selector looks like a.next or input[name=token]", func(text string) (query, error) {
		q, err := extract.CompileCSS(text, "")
		return cssQuery{q}, err
	})
}

func (b *builder[C]) values(noun, code, hint string, compile func(string) (query, error)) []test[C] {
	t := valueTest[C]{
		noun: noun, text: b.spec.Query, compile: compile, cache: &extract.Cache[query]{},
		not: b.spec.Not, expectNull: b.spec.ExpectNull, expected: b.expectation(),
	}
	if b.spec.Query == nil {
		b.errorf(code, b.spec.Pos, "%s is missing", noun).WithHint("%s", hint)
		return nil
	}
	if text, ok := b.spec.Query.Constant(); ok {
		q, err := compile(text)
		if err != nil {
			b.errorf(code, b.spec.QueryPos, "%s %s: %s", noun, quote(text, maxExpected), err).WithHint("%s", hint)
			return nil
		}
		t.source, t.fixed = text, q
	}
	return []test[C]{t}
}

func (t valueTest[C]) run(r *extract.Response, c C) (bool, string) {
	q, source := t.fixed, t.source
	if q == nil {
		rendered, err := t.text.Append(nil, c)
		if err == nil {
			source = string(rendered)
			q, err = t.cache.Get(source, func() (query, error) { return t.compile(source) })
		}
		if err != nil {
			return false, fmt.Sprintf("%s cannot be used: %s", t.noun, err)
		}
	}
	want, err := t.expected.render(c)
	if err != nil {
		return false, fmt.Sprintf("the expected value cannot be used: %s", err)
	}
	compares := t.expectNull || t.expected != nil
	found := false
	var seen []string
	truth, err := q.each(r, func(text string, null bool) bool {
		switch {
		case !compares:
			found = true
			return false
		case t.expectNull:
			found = null
		default:
			if found, err = want.match(text, null); err != nil {
				return false
			}
		}
		if !found && len(seen) < 100 {
			seen = append(seen, shown(text, null))
		}
		return !found
	})
	if !compares {
		found = truth
	}
	name := t.noun + " " + quote(source, maxExpected)
	switch {
	case err != nil:
		return false, fmt.Sprintf("%s: %s", name, err)
	case found != t.not:
		return true, ""
	case !compares && t.not:
		return false, name + " selects something, which it must not"
	case !compares:
		return false, name + " selects nothing"
	case t.not:
		return false, fmt.Sprintf("%s is %s, which it must not be", name, t.wanted(want))
	}
	return false, fmt.Sprintf("%s: expected %s, saw %s", name, t.wanted(want), few(seen))
}

func shown(text string, null bool) string {
	if null {
		return "null"
	}
	return text[:min(len(text), maxSeen+1)]
}

func (t valueTest[C]) wanted(want expected) string {
	if t.expectNull {
		return "null"
	}
	return quote(want.source, maxExpected)
}
