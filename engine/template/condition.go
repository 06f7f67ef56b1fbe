package template

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Condition is a compiled condition. It is immutable and shared by all users.
type Condition struct {
	source   string
	language string
	script   script
	program  *program
	last     bool // the last sample decides
	text     bool // true unless the text is "false"
	blank    bool
}

// The languages that [Condition.Language] tells.
const (
	JavaScript = "javascript"  // the subset that Taurus conditions are written in
	Expr       = "expr"        // the expression language
	FalseText  = "text"        // a while that goes on until its text is "false"
	LastSample = "last-sample" // a while that goes on until a sample fails
)

// Eval decides for one user.
func (k *Condition) Eval(c *Context) (bool, error) {
	switch {
	case k.last:
		return !c.LastFailed, nil
	case k.program != nil:
		v, err := k.program.run(c)
		if err != nil {
			return false, err
		}
		return k.decide(v)
	case k.script == nil:
		return false, fmt.Errorf("the condition %q was not compiled", k.source)
	}
	v, err := k.script.eval(c)
	switch {
	case err != nil:
		return false, err
	case k.text:
		return !v.IsSet() || !strings.EqualFold(strings.TrimSpace(asText(v)), "false"), nil
	}
	s, _ := v.Str()
	return v.Kind() == KindBool && v.num != 0 || strings.EqualFold(strings.TrimSpace(s), "true"), nil
}

// decide reads the result of a program.
func (k *Condition) decide(v Value) (bool, error) {
	if v.Kind() == KindBool {
		return v.num != 0, nil
	}
	s, ok := v.Str()
	switch {
	case ok && strings.EqualFold(s, "true"):
		return true, nil
	case ok && strings.EqualFold(s, "false"):
		return false, nil
	}
	return false, fmt.Errorf("the condition %q gives %s, which is neither true nor false", k.source, shorten(asText(v), 40))
}

// Language tells how the text was read, so that it can be shown: [JavaScript], [Expr],
// [FalseText] or [LastSample].
func (k *Condition) Language() string { return k.language }

// SkipsFirst reports that a while with this condition enters its first round unchecked.
func (k *Condition) SkipsFirst() bool { return k.blank }

// NeedsBody reports whether the response's body must be kept.
func (k *Condition) NeedsBody() bool {
	return k.program != nil && (k.program.answers.body || k.program.answers.json)
}

// NeedsHead reports whether the response's headers must be kept.
func (k *Condition) NeedsHead() bool { return k.program != nil && k.program.answers.headers }

// Source returns the text that was compiled.
func (k *Condition) Source() string { return k.source }

// Condition compiles the condition of an if. A text with "${" is read as the JavaScript subset
// that Taurus files use, with "${x}" in quotes compared as text; else it is expr over variables.
// One single ${…} must yield true, or the text "true". The condition is never nil.
func (c *Compiler) Condition(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	var list diag.List
	s := &source{c: c, list: &list, root: text, pos: pos, path: path}
	return s.condition(text), list
}

func (s *source) condition(text string) *Condition {
	k := &Condition{source: text, language: Expr}
	switch {
	case strings.TrimSpace(text) == "":
		s.errorf("bad-condition", 0, "the condition is empty").WithHint(`write what must be true, such as "${status}" == "ready"`)
	case !strings.Contains(text, "${"):
		k.program, _ = s.compileProgram(text, 0, false, true)
	default:
		if body, offset, ok := singleReference(text); ok {
			s.single(k, body, offset)
			return k
		}
		k.language = JavaScript
		k.script, _ = s.compileScript(text, 0)
	}
	return k
}

// single compiles a condition that is one ${…} as a whole.
func (s *source) single(k *Condition, body string, offset int) {
	p, ok := s.dynamic(body, offset)
	switch {
	case !ok:
	case p.op == opProgram:
		k.program, _ = s.compileProgram(body, offset, false, true)
	case p.op == opLiteral:
		k.language = JavaScript
		v, _ := scriptRef{p}.eval(nil)
		k.script = scriptValue{v}
	default:
		k.language = JavaScript
		k.script = scriptRef{p}
	}
}

// singleReference reports whether a text is one "${…}" as a whole, and gives its inside.
func singleReference(text string) (body string, offset int, ok bool) {
	segments, mistake := split(text)
	if mistake != nil {
		return "", 0, false
	}
	for _, seg := range segments {
		switch {
		case seg.dynamic && !ok:
			body, offset, ok = seg.text, seg.offset, true
		case seg.dynamic || strings.TrimSpace(seg.text) != "":
			return "", 0, false
		}
	}
	return body, offset, ok
}

// While compiles the condition of a while. By Taurus' rule a blank one goes on until the last
// sample of a round failed, LAST does the same but looks before the first round too, and any other
// text goes on unless it is "false". A text that compares something is read as by
// [Compiler.Condition], since by that rule it would never end. The condition is never nil.
func (c *Compiler) While(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	var list diag.List
	s := &source{c: c, list: &list, root: text, pos: pos, path: path}
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return &Condition{source: text, language: LastSample, last: true, blank: true}, nil
	case trimmed == "LAST":
		return &Condition{source: text, language: LastSample, last: true}, nil
	}
	if !strings.Contains(text, "${") || decides(text) {
		return s.condition(text), list
	}
	if body, offset, ok := singleReference(text); ok {
		k := &Condition{source: text, language: Expr}
		if s.single(k, body, offset); k.program == nil {
			k.language, k.text = FalseText, true
		}
		return k, list
	}
	t, _ := s.compile(text, 0)
	return &Condition{source: text, language: FalseText, text: true, script: scriptText{t}}, list
}

// decides reports whether a text compares or joins something outside of its "${…}".
func decides(text string) bool {
	segments, mistake := split(text)
	if mistake != nil {
		return true
	}
	for _, seg := range segments {
		if !seg.dynamic && (strings.ContainsAny(seg.text, "=<>!") || strings.Contains(seg.text, "&&") || strings.Contains(seg.text, "||")) {
			return true
		}
	}
	return false
}

// Check compiles an expr condition over a response: status, body, headers and json stand for it,
// and hide variables of the same names. The condition is never nil.
func (c *Compiler) Check(text string, pos diag.Pos, path string) (*Condition, diag.List) {
	var list diag.List
	s := &source{c: c, list: &list, root: text, pos: pos, path: path}
	k := &Condition{source: text, language: Expr}
	if at := strings.Index(text, "${"); at >= 0 {
		s.errorf("bad-expression", at, "%q cannot stand in an expression", "${").WithHint("variables are read by name here: status == 200 && json.id == id")
		return k, list
	}
	k.program, _ = s.compileProgram(text, 0, true, true)
	return k, list
}
