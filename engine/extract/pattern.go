package extract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// matchTimeout bounds one run of a backtracking pattern. RE2 patterns need no limit.
const matchTimeout = time.Second

// Pattern is a compiled regular expression. It is immutable and shared by all users.
type Pattern struct {
	source string
	re2    *regexp.Regexp
	back   *regexp2.Regexp // set instead of re2 for patterns that need backtracking
	groups int
}

// CompilePattern compiles a pattern. engine is "re2", "backtracking" or "", which takes RE2 where
// the pattern allows it and backtracking for look-around, back-references and the like.
func CompilePattern(text, engine string) (*Pattern, error) { return compilePattern(text, text, engine) }

// CompileWhole compiles a pattern that must match a text as a whole.
func CompileWhole(text, engine string) (*Pattern, error) {
	if _, err := compilePattern(text, text, engine); err != nil {
		return nil, err
	}
	return compilePattern(text, `\A(?:`+text+`)\z`, engine)
}

func compilePattern(source, text, engine string) (*Pattern, error) {
	var first error
	if engine != "backtracking" {
		re, err := regexp.Compile(text)
		if err == nil {
			return &Pattern{source: source, re2: re, groups: re.NumSubexp()}, nil
		}
		if engine == "re2" {
			return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		first = err
	}
	re, err := regexp2.Compile(text)
	if err != nil {
		if first != nil {
			err = first
		}
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	re.MatchTimeout = matchTimeout
	return &Pattern{source: source, back: re, groups: len(re.GetGroupNumbers()) - 1}, nil
}

// Engine tells which engine runs the pattern, "re2" or "backtracking".
func (p *Pattern) Engine() string {
	if p.back != nil {
		return "backtracking"
	}
	return "re2"
}

// Source returns the pattern as written.
func (p *Pattern) Source() string { return p.source }

// Match reports whether the pattern is found anywhere in text. The error is a backtracking pattern
// that ran past its time limit.
func (p *Pattern) Match(text []byte) (bool, error) {
	if p.re2 != nil {
		return p.re2.Match(text), nil
	}
	ok, err := p.back.MatchString(textOf(text))
	return ok, p.explain(err)
}

func (p *Pattern) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the pattern %q took longer than %s", shorten(p.source, 60), matchTimeout)
}

// all calls yield for each match with its groups, the whole match first, until it returns false.
func (p *Pattern) all(text []byte, yield func(groups []string) bool) error {
	if p.re2 != nil {
		return p.allRE2(text, yield)
	}
	m, err := p.back.FindStringMatch(textOf(text))
	for ; m != nil && err == nil; m, err = p.back.FindNextMatch(m) {
		groups := make([]string, 0, p.groups+1)
		for _, g := range m.Groups() {
			groups = append(groups, strings.Clone(g.String()))
		}
		if !yield(groups) {
			return nil
		}
	}
	return p.explain(err)
}

// allRE2 walks match by match, so that the first one does not cost the whole text.
func (p *Pattern) allRE2(text []byte, yield func(groups []string) bool) error {
	emit := func(at []int) bool {
		groups := make([]string, len(at)/2)
		for i := range groups {
			if at[2*i] >= 0 {
				groups[i] = string(text[at[2*i]:at[2*i+1]])
			}
		}
		return yield(groups)
	}
	first := p.re2.FindSubmatchIndex(text)
	if first == nil || !emit(first) {
		return nil
	}
	for _, at := range p.re2.FindAllSubmatchIndex(text, maxHits)[1:] {
		if !emit(at) {
			return nil
		}
	}
	return nil
}

// patternFinder finds what a pattern matches, written by a template of groups.
type patternFinder struct {
	pattern  *Pattern
	template []groupPart
	subject  Subject
}

// groupPart is literal text, or a group.
type groupPart struct {
	text  string
	group int // -1: text
}

// parseGroups reads a template: "" (the first group, or the whole match where there is none), a
// group number, or a text with $1$ in it.
func parseGroups(text string, groups int) ([]groupPart, error) {
	if text == "" {
		return []groupPart{{group: min(1, groups)}}, nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		return []groupPart{{group: n}}, checkGroup(n, groups)
	}
	var parts []groupPart
	for rest := text; rest != ""; {
		at := strings.IndexByte(rest, '$')
		if at < 0 {
			return append(parts, groupPart{rest, -1}), nil
		}
		number, after, closed := strings.Cut(rest[at+1:], "$")
		n, err := strconv.Atoi(number)
		if !closed || err != nil {
			parts = append(parts, groupPart{rest[:at+1], -1})
			rest = rest[at+1:]
			continue
		}
		if err := checkGroup(n, groups); err != nil {
			return nil, err
		}
		if at > 0 {
			parts = append(parts, groupPart{rest[:at], -1})
		}
		parts = append(parts, groupPart{"", n})
		rest = after
	}
	return parts, nil
}

func checkGroup(n, groups int) error {
	switch {
	case n >= 0 && n <= groups:
		return nil
	case groups == 0:
		return fmt.Errorf("there is no group %d: the pattern has no parentheses", n)
	}
	return fmt.Errorf("there is no group %d: the pattern has %d", n, groups)
}

func (f patternFinder) find(r *Response, limit int, h *hits) error {
	return f.pattern.all(f.subject.Of(r), func(groups []string) bool {
		h.values = append(h.values, f.write(groups))
		h.groups = append(h.groups, groups)
		return len(h.values) < limit
	})
}

func (f patternFinder) write(groups []string) string {
	if len(f.template) == 1 && f.template[0].group >= 0 {
		return groups[f.template[0].group]
	}
	var b strings.Builder
	for _, part := range f.template {
		if part.group < 0 {
			b.WriteString(part.text)
		} else {
			b.WriteString(groups[part.group])
		}
	}
	return b.String()
}
