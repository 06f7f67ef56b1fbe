package template

import "slices"

// Builder joins pieces into one template. The zero Builder is ready for use.
type Builder struct {
	source []byte
	pieces []piece
}

// Literal adds fixed text, as it is.
func (b *Builder) Literal(text string) *Builder {
	b.source = append(b.source, text...)
	b.literal(text)
	return b
}

func (b *Builder) literal(text string) {
	switch last := len(b.pieces) - 1; {
	case text == "":
	case last >= 0 && b.pieces[last].op == opLiteral:
		b.pieces[last].text += text
	default:
		b.pieces = append(b.pieces, piece{text: text})
	}
}

// Add adds a template: literal text and values are both written by e, whatever encoding the values
// had. [Raw] leaves everything as it is.
func (b *Builder) Add(t *Template, e Encoding) *Builder {
	b.source = append(b.source, t.source...)
	for _, p := range t.pieces {
		if p.op == opLiteral {
			b.literal(string(appendString(nil, p.text, e)))
			continue
		}
		if e != Raw {
			p.encoding = e
		}
		b.pieces = append(b.pieces, p)
	}
	return b
}

// Template returns what was built. The builder is empty afterwards.
func (b *Builder) Template() *Template {
	t := &Template{source: string(b.source), pieces: slices.Clip(b.pieces)}
	*b = Builder{}
	return t
}

// JSONBuilder builds the template of a compact JSON document. Calls follow the document's order:
//
//	b.Object(); b.Key(k); b.Text(t); b.Key(k2); b.Array(); b.Literal("1"); b.End(); b.End()
//
// The zero JSONBuilder is ready for use.
type JSONBuilder struct {
	b     Builder
	open  []byte // closing characters of what is open
	comma bool   // the next element of the innermost object or array is not its first
	value bool   // a key was written, its value comes next
}

// Object begins an object.
func (j *JSONBuilder) Object() { j.begin('{', '}') }

// Array begins an array.
func (j *JSONBuilder) Array() { j.begin('[', ']') }

func (j *JSONBuilder) begin(opening, closing byte) {
	j.element()
	j.b.Literal(string(opening))
	j.open = append(j.open, closing)
	j.comma = false
}

// End ends the innermost object or array.
func (j *JSONBuilder) End() {
	last := len(j.open) - 1
	j.b.Literal(string(j.open[last]))
	j.open = j.open[:last]
	j.comma = true
}

// element writes the comma before the next element.
func (j *JSONBuilder) element() {
	if j.comma && !j.value {
		j.b.Literal(",")
	}
	j.comma, j.value = true, false
}

// Key writes the next key of an object.
func (j *JSONBuilder) Key(key *Template) {
	j.element()
	j.b.Literal(`"`).Add(key, JSONText).Literal(`":`)
	j.value = true
}

// Text writes a string. A text that is one single ${…} keeps its type: a number stays a number.
func (j *JSONBuilder) Text(t *Template) {
	j.element()
	if t.Single() {
		j.b.Add(t, JSONValue)
		return
	}
	j.b.Literal(`"`).Add(t, JSONText).Literal(`"`)
}

// Literal writes a finished JSON value such as 12, true or null.
func (j *JSONBuilder) Literal(raw string) {
	j.element()
	j.b.Literal(raw)
}

// Template returns the document's template. The builder is empty afterwards.
func (j *JSONBuilder) Template() *Template {
	t := j.b.Template()
	*j = JSONBuilder{}
	return t
}
