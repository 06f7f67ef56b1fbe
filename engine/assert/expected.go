package assert

import "github.com/stacrun/stacrun/engine/extract"

// expectation is the value that a query must select: a text, or a pattern for the whole of it.
type expectation[C any] struct {
	fixed  *expected // nil: rendered per user
	text   extract.Text[C]
	regexp bool
	engine string
	cache  extract.Cache[*expected]
}

// expected is what one user expects.
type expected struct {
	source  string
	pattern *extract.Pattern // nil: the text as it is
}

// expectation compiles the expected value, nil where none was written.
func (b *builder[C]) expectation() *expectation[C] {
	if b.spec.Expected == nil || b.spec.ExpectNull {
		return nil
	}
	e := &expectation[C]{text: b.spec.Expected, regexp: b.spec.Regexp, engine: b.spec.Engine}
	if text, ok := b.spec.Expected.Constant(); ok {
		var err error
		if e.fixed, err = e.compile(text); err != nil {
			b.errorf("bad-regexp", b.spec.Pos, "the expected value %s: %s", quote(text, maxExpected), err).
				WithHint("it is a regular expression for the whole value; write regexp: false to compare it as text")
		}
	}
	return e
}

func (e *expectation[C]) compile(text string) (*expected, error) {
	if !e.regexp || isPlain(text) {
		return &expected{source: text}, nil
	}
	pattern, err := extract.CompileWhole(text, e.engine)
	return &expected{text, pattern}, err
}

func (e *expectation[C]) render(c C) (expected, error) {
	switch {
	case e == nil:
		return expected{}, nil
	case e.fixed != nil:
		return *e.fixed, nil
	}
	rendered, err := e.text.Append(nil, c)
	if err != nil {
		return expected{}, err
	}
	text := string(rendered)
	compiled, err := e.cache.Get(text, func() (*expected, error) { return e.compile(text) })
	if err != nil {
		return expected{}, err
	}
	return *compiled, nil
}

// match compares one value. Null equals the text "null" only.
func (e expected) match(text string, null bool) (bool, error) {
	if null {
		text = "null"
	}
	// The text itself always matches, so that values such as 2024-01-01T00:00:00+00:00 need no escapes.
	if e.pattern == nil || text == e.source {
		return text == e.source, nil
	}
	return e.pattern.Match([]byte(text))
}
