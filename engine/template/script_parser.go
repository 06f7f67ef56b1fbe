package template

import (
	"strings"
	"unicode/utf8"
)

// scriptParser reads the JavaScript subset. Words of JEXL, such as eq and and, are known as well.
type scriptParser struct {
	s      *source
	text   string
	offset int // of text in the document's text
	i      int
	depth  int
	failed bool
}

// compileScript compiles a script; mistakes are reported with their place.
func (s *source) compileScript(text string, offset int) (script, bool) {
	p := &scriptParser{s: s, text: text, offset: offset}
	if len(text) > maxExpression {
		p.fail(0, "the condition has %d bytes; at most %d are allowed", len(text), maxExpression)
		return nil, false
	}
	node := p.binary(0)
	if !p.failed {
		p.space()
		if p.i < len(p.text) {
			p.unexpected()
		}
	}
	return node, !p.failed
}

// scriptLevels are the binary operators, loosest first; longer ones before their prefixes.
var scriptLevels = [][]string{
	{"||"}, {"&&"}, {"===", "!==", "==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"},
}

// scriptWords are JEXL's words for operators.
var scriptWords = map[string]string{
	"or": "||", "and": "&&", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "not": "!", "mod": "%", "div": "/",
}

func (p *scriptParser) binary(level int) script {
	if level == len(scriptLevels) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for !p.failed {
		operator := p.operator(scriptLevels[level])
		if operator == "" {
			break
		}
		left = scriptBinary{operator, left, p.binary(level + 1)}
	}
	return left
}

// operator takes one of the operators, or the word for it.
func (p *scriptParser) operator(candidates []string) string {
	p.space()
	rest := p.text[p.i:]
	for _, operator := range candidates {
		if strings.HasPrefix(rest, operator) {
			p.i += len(operator)
			return operator
		}
	}
	if word := leadingWord(rest); word != "" {
		for _, operator := range candidates {
			if scriptWords[word] == operator {
				p.i += len(word)
				return operator
			}
		}
	}
	return ""
}

func (p *scriptParser) unary() script {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.fail(p.i, "the condition is nested too deep")
		return nil
	}
	p.space()
	rest := p.text[p.i:]
	switch {
	case strings.HasPrefix(rest, "!"):
		p.i++
		return scriptUnary{"!", p.unary()}
	case leadingWord(rest) == "not":
		p.i += len("not")
		return scriptUnary{"!", p.unary()}
	case strings.HasPrefix(rest, "-"):
		p.i++
		return scriptUnary{"-", p.unary()}
	}
	return p.postfix()
}

func (p *scriptParser) postfix() script {
	node := p.primary()
	for !p.failed {
		p.space()
		if !strings.HasPrefix(p.text[p.i:], ".") {
			break
		}
		from := p.i
		p.i++
		name := leadingWord(p.text[p.i:])
		p.i += len(name)
		count, known := scriptMethods[name]
		if !known {
			p.fail(from, "%q is not understood in a condition", "."+name)
			break
		}
		node = scriptMethod{name, node, p.arguments(name, count)}
	}
	return node
}

// arguments reads "(…)" behind a method; length may also stand without.
func (p *scriptParser) arguments(name string, count int) []script {
	p.space()
	if !strings.HasPrefix(p.text[p.i:], "(") {
		if name != "length" {
			p.fail(p.i, "%q must follow %q", "(", "."+name)
		}
		return nil
	}
	p.i++
	var args []script
	for range count {
		args = append(args, p.binary(0))
	}
	p.expect(")")
	return args
}

func (p *scriptParser) expect(text string) {
	p.space()
	switch {
	case p.failed:
	case strings.HasPrefix(p.text[p.i:], text):
		p.i += len(text)
	case p.i == len(p.text):
		p.fail(p.i, "the condition ends where %q is expected", text)
	default:
		p.unexpected()
	}
}

func (p *scriptParser) primary() script {
	p.space()
	rest := p.text[p.i:]
	switch {
	case p.failed:
		return nil
	case rest == "":
		p.fail(p.i, "the condition ends where a value is expected")
		return nil
	case rest[0] == '(':
		p.i++
		node := p.binary(0)
		p.expect(")")
		return node
	case rest[0] == '"' || rest[0] == '\'':
		return p.quoted()
	case strings.HasPrefix(rest, "${"):
		return p.reference()
	case '0' <= rest[0] && rest[0] <= '9' || rest[0] == '.':
		return p.numeral()
	}
	word := leadingWord(rest)
	switch word {
	case "true", "false":
		p.i += len(word)
		return scriptValue{Bool(word == "true")}
	case "null":
		p.i += len(word)
		return scriptValue{Null()}
	case "undefined":
		p.i += len(word)
		return scriptValue{}
	}
	p.unexpected()
	return nil
}

// quoted reads a string, in which "${…}" is replaced by text.
func (p *scriptParser) quoted() script {
	from := p.i
	quote := p.text[p.i]
	var b Builder
	var literal strings.Builder
	flush := func() {
		b.literal(literal.String())
		literal.Reset()
	}
	for p.i++; p.i < len(p.text); p.i++ {
		switch rest := p.text[p.i:]; {
		case rest[0] == quote:
			p.i++
			flush()
			t := b.Template()
			if text, ok := t.Constant(); ok {
				return scriptValue{String(text)}
			}
			return scriptText{t}
		case rest[0] == '\\' && len(rest) > 1:
			p.i++
			literal.WriteByte(unescaped(rest[1]))
		case strings.HasPrefix(rest, "$${"):
			literal.WriteString("${")
			p.i += 2
		case strings.HasPrefix(rest, "${"):
			flush()
			piece, ok := p.dynamic()
			if !ok {
				return nil
			}
			if piece.op == opLiteral {
				literal.WriteString(piece.text)
			} else {
				b.pieces = append(b.pieces, piece)
			}
			p.i--
		default:
			literal.WriteByte(rest[0])
		}
	}
	p.fail(from, "the string is never closed")
	return nil
}

func unescaped(b byte) byte {
	switch b {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return b
}

// dynamic reads the "${…}" at the cursor.
func (p *scriptParser) dynamic() (piece, bool) {
	end, mistake := closingBrace(p.text, p.i)
	if mistake != nil {
		p.fail(mistake.offset, "%s", mistake.message)
		return piece{}, false
	}
	result, ok := p.s.dynamic(p.text[p.i+2:end], p.offset+p.i+2)
	p.i = end + 1
	p.failed = p.failed || !ok // already reported
	return result, ok
}

func (p *scriptParser) reference() script {
	piece, ok := p.dynamic()
	switch {
	case !ok:
		return nil
	case piece.op == opLiteral:
		v, _ := scriptRef{piece}.eval(nil)
		return scriptValue{v}
	}
	return scriptRef{piece}
}

func (p *scriptParser) numeral() script {
	end := p.i
	for end < len(p.text) && (isWord(p.text[end]) || p.text[end] == '.') {
		end++
	}
	v, ok := parseNumber(p.text[p.i:end])
	if !ok {
		p.fail(p.i, "%q is not a number", p.text[p.i:end])
	}
	p.i = end
	return scriptValue{v}
}

func (p *scriptParser) space() { p.i = skipSpace(p.text, p.i) }

// unexpected reports what stands at the cursor.
func (p *scriptParser) unexpected() {
	rest := p.text[p.i:]
	word := leadingWord(rest)
	if word == "" {
		_, size := utf8.DecodeRuneInString(rest)
		word = rest[:size]
	}
	p.fail(p.i, "%q is not understood in a condition", word)
}

// fail reports the first mistake only.
func (p *scriptParser) fail(at int, format string, args ...any) {
	if p.failed {
		return
	}
	p.failed = true
	p.s.errorf("bad-condition", p.offset+at, format, args...).
		WithHint(`a condition compares with == != < <= > >=, joins with && || ! and knows .length, .indexOf(), .includes() and .startsWith(); texts stand in quotes: "${x}" == "yes"`)
}

// leadingWord returns the identifier that a text begins with.
func leadingWord(s string) string {
	if s == "" || '0' <= s[0] && s[0] <= '9' {
		return ""
	}
	end := 0
	for end < len(s) && isWord(s[end]) {
		end++
	}
	return s[:end]
}
