package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unsafe"
)

// Template is a compiled text. It is immutable and shared by all users.
type Template struct {
	source string
	pieces []piece
}

type opcode uint8

const (
	opLiteral opcode = iota // text
	opSlot                  // a variable
	opMember                // a run-time name of a family
	opNumber                // a JMeter function that yields a whole number
	opText                  // a JMeter function that yields text
	opValue                 // a JMeter function that yields any value
	opProgram               // an expr program
)

// piece is one part of a template.
type piece struct {
	op       opcode
	encoding Encoding
	text     string // opLiteral: the text; else what stood between the braces
	ref      reference
	call     *call
	program  *program
}

// Literal returns a template that is always text, without looking for "${".
func Literal(text string) *Template {
	t := &Template{source: text}
	if text != "" {
		t.pieces = []piece{{text: text}}
	}
	return t
}

// Append writes the text for one user. It allocates nothing beyond dst for literals, for variables
// that hold strings or numbers, and for __Random, __counter, __threadNum, __time and __UUID. On an
// error dst is returned with what was written so far.
func (t *Template) Append(dst []byte, c *Context) ([]byte, error) {
	var err error
	for i := range t.pieces {
		p := &t.pieces[i]
		if p.op == opLiteral {
			dst = append(dst, p.text...)
			continue
		}
		if dst, err = p.append(dst, c); err != nil {
			return dst, p.explain(err)
		}
	}
	return dst, nil
}

func (p *piece) append(dst []byte, c *Context) ([]byte, error) {
	switch p.op {
	case opSlot:
		return appendValue(dst, c.Vars.values[p.ref.slot], p.encoding)
	case opNumber:
		n, err := p.call.number(c)
		if err != nil {
			return dst, err
		}
		return strconv.AppendInt(dst, n, 10), nil
	case opText:
		if p.encoding == Raw {
			return p.call.text(dst, c)
		}
		return p.appendEncoded(dst, c)
	}
	v, err := p.value(c)
	if err != nil {
		return dst, err
	}
	return appendValue(dst, v, p.encoding)
}

// appendEncoded lets a text function write into the user's scratch buffer first.
func (p *piece) appendEncoded(dst []byte, c *Context) ([]byte, error) {
	scratch, err := p.call.text(c.scratch[:0], c)
	c.scratch = scratch
	if err != nil {
		return dst, err
	}
	return appendString(dst, unsafe.String(unsafe.SliceData(scratch), len(scratch)), p.encoding), nil
}

// value computes the value of a piece that is not literal.
func (p *piece) value(c *Context) (Value, error) {
	switch p.op {
	case opLiteral:
		return String(p.text), nil
	case opSlot, opMember:
		return c.Vars.at(p.ref), nil
	case opNumber:
		n, err := p.call.number(c)
		return Int(n), err
	case opText:
		text, err := p.call.text(nil, c)
		return String(string(text)), err
	case opValue:
		return p.call.value(c)
	}
	return p.program.run(c)
}

// explain names the "${…}" that went wrong.
func (p *piece) explain(err error) error { return fmt.Errorf("${%s}: %w", p.text, err) }

// Value gives the value for one user. If the text is one single ${…} the value keeps its type,
// else it is a string. A variable that was never set is an error.
func (t *Template) Value(c *Context) (Value, error) {
	if t.Single() {
		p := &t.pieces[0]
		v, err := p.value(c)
		if err == nil && !v.IsSet() {
			err = errUnset
		}
		if err != nil {
			return Value{}, p.explain(err)
		}
		return v, nil
	}
	text, err := t.Text(c)
	return String(text), err
}

var errUnset = errors.New("the variable is not set")

// Text gives the text for one user as a new string.
func (t *Template) Text(c *Context) (string, error) {
	if text, ok := t.Constant(); ok {
		return text, nil
	}
	b, err := t.Append(nil, c)
	return string(b), err
}

// Constant returns the text of a template that is the same for everyone, always.
func (t *Template) Constant() (string, bool) {
	switch {
	case len(t.pieces) == 0:
		return "", true
	case len(t.pieces) == 1 && t.pieces[0].op == opLiteral:
		return t.pieces[0].text, true
	}
	return "", false
}

// Single reports whether the text is one single ${…} that is not constant.
func (t *Template) Single() bool { return len(t.pieces) == 1 && t.pieces[0].op != opLiteral }

// Reads returns the names of the variables that the template reads, sorted.
func (t *Template) Reads() []string {
	var names []string
	for i := range t.pieces {
		switch p := &t.pieces[i]; p.op {
		case opSlot, opMember:
			names = append(names, p.text)
		case opProgram:
			for _, r := range p.program.reads {
				names = append(names, r.name)
			}
		case opNumber, opText, opValue:
			names = append(names, p.call.reads()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Source returns the text that was compiled.
func (t *Template) Source() string { return t.source }

// Encoded returns the template with values, but not its own literal text, written by e.
func (t *Template) Encoded(e Encoding) *Template {
	pieces := slices.Clone(t.pieces)
	for i := range pieces {
		pieces[i].encoding = e
	}
	return &Template{source: t.source, pieces: pieces}
}
