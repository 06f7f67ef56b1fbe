package config

import (
	"bytes"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/stacrun/stacrun/diag"
)

// failure is a syntax error of the YAML library, with its true place.
type failure struct {
	problem      string
	line, column int // 1-based
	// where the construct began that the error is in; 0 when the library does not say
	fromLine, fromColumn int
}

// locate finds out where a syntax error is.
//
// The library's message names the line where the surrounding block began, or none. Its parser
// knows the exact place, but has no way to ask for it, so that its fields are read by reflection.
// The library is frozen; should the fields be gone, the line of the message has to do.
func locate(decoder *yaml.Decoder, err error, text []byte) *failure {
	line, problem := splitMessage(err.Error())
	f := &failure{problem: problem, line: max(line, 1), column: 1}
	if name, ok := strings.CutPrefix(problem, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		f.line, f.column = findAlias(text, name)
		return f
	}
	parser := field(field(field(reflect.ValueOf(decoder), "parser"), "parser"), "problem_mark")
	if l, c, ok := mark(parser); ok && (l > 0 || c > 0 || line <= 1) {
		f.line, f.column = l+1, c+1
	}
	context := field(field(field(reflect.ValueOf(decoder), "parser"), "parser"), "context_mark")
	if l, c, ok := mark(context); ok {
		f.fromLine, f.fromColumn = l+1, c+1
	}
	return f
}

// field is a field of a struct or of what a pointer points to; the zero Value when there is none.
func field(v reflect.Value, name string) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v.FieldByName(name)
}

// mark reads a 0-based place.
func mark(v reflect.Value) (line, column int, ok bool) {
	l, c := field(v, "line"), field(v, "column")
	if !l.IsValid() || !c.IsValid() || !l.CanInt() || !c.CanInt() {
		return 0, 0, false
	}
	return int(l.Int()), int(c.Int()), true
}

var yamlMessage = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func splitMessage(message string) (line int, problem string) {
	m := yamlMessage.FindStringSubmatch(message)
	if m == nil {
		return 0, message
	}
	line, _ = strconv.Atoi(m[1])
	return line, message[len(m[0]):]
}

// findAlias gives the place of the first use of an alias.
func findAlias(text []byte, name string) (line, column int) {
	use := regexp.MustCompile(`(?:^|[\s,\[{:])(\*` + regexp.QuoteMeta(name) + `)(?:[\s,\]}]|$)`)
	if m := use.FindSubmatchIndex(text); m != nil {
		p := position("", text, m[2])
		return p.Line, p.Column
	}
	return 1, 1
}

// syntaxError reports a failure in our words, at the place where it has to be mended.
func (r *reader) syntaxError(f *failure, text []byte) {
	at, from := r.pos(f.line, f.column), r.pos(f.fromLine, f.fromColumn)
	say := func(pos diag.Pos, hint, format string, args ...any) *diag.Diagnostic {
		return r.diags.Errorf("syntax", pos, "", format, args...).WithHint("%s", hint)
	}
	next := charAt(text, f.line, f.column)
	switch p := f.problem; {
	case strings.HasPrefix(p, "mapping values are not allowed") && r.tooFarIn(text, f):
	case strings.HasPrefix(p, "mapping values are not allowed"):
		say(at, `quote values that contain ": "; if this is a key, align it with its neighbours`,
			"a second key and value cannot begin here")
	case strings.HasPrefix(p, "found character that cannot start any token") && next == '\t':
		say(at, "indent with spaces", "a tab cannot stand here")
	case strings.HasPrefix(p, "found character that cannot start any token"):
		say(at, "quote the value", "a value cannot begin with %q", string(next))
	case strings.HasPrefix(p, "unknown anchor"):
		name, _, _ := strings.Cut(strings.TrimPrefix(p, "unknown anchor '"), "'")
		say(at, "define it above with &"+name+", or quote a value that begins with an asterisk",
			"alias %q names nothing", "*"+name)
	case strings.HasPrefix(p, "did not find expected alphabetic or numeric character"):
		say(from, "quote a value that begins with an asterisk or an ampersand", "%q is not followed by a name",
			string(charAt(text, f.fromLine, f.fromColumn)))
	case p == "found unexpected end of stream" && f.fromLine > 0:
		say(from, "close the quote, or leave it out at both ends", "the quote that opens here is never closed")
	case strings.HasPrefix(p, "found unexpected document indicator"):
		say(from, "close the quote before the line that begins with --- or ...", "the quote that opens here is never closed")
	case strings.HasPrefix(p, "did not find expected ',' or") && next == '\uFFFD':
		say(from, "close it with "+strings.Trim(p[strings.LastIndexByte(p, ' ')+1:], "'"), "the list or mapping that opens here is never closed")
	case strings.HasPrefix(p, "did not find expected ',' or"):
		closing := strings.Trim(p[strings.LastIndexByte(p, ' ')+1:], "'")
		d := say(at, "separate with commas and close with "+closing+"; quote text that holds any of , [ ] { } ?",
			"a comma or %q is missing before this", closing)
		d.WithNote(from, "the list or mapping opens here")
	case strings.HasPrefix(p, "found unknown escape character"):
		say(at, `use single quotes, or double the backslash`, "a backslash is not followed by an escape that YAML knows")
	case strings.HasPrefix(p, "could not find expected ':'"):
		line, _ := diag.Sources{"": text}.Line("", from.Line)
		if word := strings.TrimSpace(line); from.Column > 1+len(line)-len(strings.TrimLeft(line, " \t")) {
			// not the first word of its line
		} else if key := gluedKey.FindString(word); key != "" {
			say(from, "put a space after the colon: "+key+" "+word[len(key):], `a space is missing after %q`, key)
			return
		} else if gluedDash.MatchString(word) {
			say(from, "put a space after the dash: - "+word[1:], "a space is missing after the dash of a list item")
			return
		}
		say(from, `write "key: value", or indent the line so that it belongs to the value above`,
			`a key is expected here, with ":" behind it`)
	case strings.HasPrefix(p, "did not find expected key"):
		r.expectedKey(at, from, text)
	case strings.HasPrefix(p, "did not find expected '-' indicator"):
		say(at, `begin each item with "- " in the same column`, "this line stands among list items but is none").
			WithNote(from, "the list begins here")
	case strings.HasPrefix(p, "block sequence entries are not allowed"):
		say(at, `put the "- " on a line of its own below the key, or quote the value`, "a list item cannot begin here")
	case strings.HasPrefix(p, "did not find expected node content") && next == '\uFFFD':
		say(at, "close it with ] or }", "the file ends inside a list or mapping")
	case strings.HasPrefix(p, "did not find expected node content"):
		say(at, "quote the value", "a value cannot begin with %q", string(next))
	case strings.HasPrefix(p, "mapping keys are not allowed"):
		say(at, "quote a value that begins with a question mark", "a key cannot begin here")
	default:
		r.diags.Errorf("syntax", at, "", "invalid YAML: %s", p)
	}
}

// tooFarIn reports a key that is indented more than the line above it, which has a value already.
func (r *reader) tooFarIn(text []byte, f *failure) bool {
	lines := strings.Split(string(text), "\n")
	if f.line < 2 || f.line > len(lines) {
		return false
	}
	line := lines[f.line-1]
	key := strings.TrimLeft(line, " ")
	indent := len(line) - len(key)
	name := gluedKey.FindString(key)
	if name == "" || f.column != indent+len(name) {
		return false
	}
	above := f.line - 2
	for above > 0 && (strings.TrimSpace(lines[above]) == "" || strings.HasPrefix(strings.TrimSpace(lines[above]), "#")) {
		above--
	}
	m := keyWithValue.FindStringSubmatch(lines[above])
	if m == nil || len(m[1]) >= indent {
		return false
	}
	d := r.diags.Errorf("syntax", r.pos(f.line, indent+1), "", "this line is indented more than the one above, which has its value already").
		WithHint("begin %q in column %d, below the key above, or leave that value out when this belongs below it", strings.TrimSuffix(name, ":"), len(m[1])+1)
	d.Length = len(name) - 1
	return true
}

// keyWithValue is a line with a key, perhaps the first one of a list item, and its value; what stands before the key is its first group.
var keyWithValue = regexp.MustCompile(`^((?:- | )*)[A-Za-z_][\w.-]*:[ \t]+[^ \t#|>].*$`) //nolint:gochecknoglobals // a constant

// gluedKey and gluedDash match a line whose value follows without a space.
var (
	gluedKey  = regexp.MustCompile(`^[A-Za-z_][\w-]*:`)
	gluedDash = regexp.MustCompile(`^-[\w"'{\[/$]`)
)

// expectedKey reports a line that fits neither the block around it nor the value before it.
func (r *reader) expectedKey(at, from diag.Pos, text []byte) {
	line, _ := diag.Sources{"": text}.Line("", at.Line)
	chars := []rune(line)
	before := string(chars[:min(max(at.Column-1, 0), len(chars))])
	if strings.TrimSpace(before) == "" {
		r.diags.Errorf("syntax", at, "", "the indentation of this line fits no block above it").
			WithHint("align it with the keys that it belongs to").
			WithNote(from, "the block begins here, in column %d", from.Column)
		return
	}
	r.diags.Errorf("syntax", at, "", "this cannot follow the value before it").
		WithHint("put the whole value between one pair of quotes")
}

// charAt gives the character at a place, or U+FFFD.
func charAt(text []byte, line, column int) rune {
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return '\uFFFD'
		}
		text = text[i+1:]
	}
	for _, c := range string(text) {
		if column--; column == 0 {
			return c
		}
	}
	return '\uFFFD'
}
