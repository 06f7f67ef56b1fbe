package assert

import (
	"fmt"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/extract"
)

// matcher looks for one pattern in bytes.
type matcher interface {
	match(text []byte) (bool, error)
}

func (n needle) match(text []byte) (bool, error) { return n.in(text), nil }

type patternMatcher struct{ pattern *extract.Pattern }

func (m patternMatcher) match(text []byte) (bool, error) { return m.pattern.Match(text) }

// containsTest looks for one pattern in one part of a response.
type containsTest[C any] struct {
	subject extract.Subject
	name    string // of the subject
	not     bool
	source  string  // the pattern, when it is the same for everyone
	fixed   matcher // compiled from source; nil: rendered per user
	text    extract.Text[C]
	compile func(text string) (matcher, error)
	cache   *extract.Cache[matcher]
}

// contains compiles one test per pattern.
func (b *builder[C]) contains(subject extract.Subject) []test[C] {
	if len(b.spec.Patterns) == 0 {
		b.errorf("bad-value", b.spec.Pos, "there is nothing to look for").WithHint("write contains: [text]")
	}
	name := [...]string{"the body", "the headers", "the status", "the URL", "the status message", "the request headers", "the unescaped body", "the text of the body"}[subject]
	var tests []test[C]
	for i, pattern := range b.spec.Patterns {
		t := containsTest[C]{
			subject: subject, name: name, not: b.spec.Not, text: pattern,
			compile: b.matcher(), cache: &extract.Cache[matcher]{},
		}
		if text, ok := pattern.Constant(); ok {
			var err error
			t.source = text
			if t.fixed, err = t.compile(text); err != nil {
				b.errorf("bad-regexp", b.patternPos(i), "the pattern %s: %s", quote(text, maxExpected), err).
					WithHint("patterns are RE2; write regexp: false to look for the text as it is")
			}
		}
		tests = append(tests, t)
	}
	return tests
}

func (b *builder[C]) patternPos(i int) diag.Pos {
	if i < len(b.spec.PatternPos) {
		return b.spec.PatternPos[i]
	}
	return b.spec.Pos
}

// matcher returns how patterns of this check are compiled.
func (b *builder[C]) matcher() func(string) (matcher, error) {
	if !b.spec.Regexp {
		return func(text string) (matcher, error) { return newNeedle([]byte(text)), nil }
	}
	engine := b.spec.Engine
	return func(text string) (matcher, error) {
		if isPlain(text) {
			return newNeedle([]byte(text)), nil
		}
		pattern, err := extract.CompilePattern(text, engine)
		return patternMatcher{pattern}, err
	}
}

// isPlain reports whether a pattern has no special characters, so that it can be looked for as text.
func isPlain(pattern string) bool {
	for i := range len(pattern) {
		switch pattern[i] {
		case '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$':
			return false
		}
	}
	return true
}

func (t containsTest[C]) run(r *extract.Response, c C) (bool, string) {
	m, source := t.fixed, t.source
	if m == nil {
		rendered, err := t.text.Append(nil, c)
		if err == nil {
			source = string(rendered)
			m, err = t.cache.Get(source, func() (matcher, error) { return t.compile(source) })
		}
		if err != nil {
			return false, fmt.Sprintf("the pattern cannot be used: %s", err)
		}
	}
	seen := t.subject.Of(r)
	found, err := m.match(seen)
	switch {
	case err != nil:
		return false, err.Error()
	case found != t.not:
		return true, ""
	case t.not:
		return false, fmt.Sprintf("%s contains %s, which it must not", t.name, quote(source, maxExpected))
	case t.subject == extract.StatusCode:
		return false, fmt.Sprintf("the status is %d, expected %s", r.Status, quote(source, maxExpected))
	case len(seen) == 0:
		return false, fmt.Sprintf("%s does not contain %s: it is empty", t.name, quote(source, maxExpected))
	}
	return false, fmt.Sprintf("%s does not contain %s: it begins with %s", t.name, quote(source, maxExpected), quote(string(seen[:min(len(seen), maxSeen+1)]), maxSeen))
}
