package template

// Encoding is how values are written where they land.
type Encoding uint8

// The encodings.
const (
	Raw       Encoding = iota // as they are
	JSONText                  // inside the quotes of a JSON string
	JSONValue                 // as a JSON value: strings get quotes, numbers and lists stay what they are
	Query                     // as a name or value in a query string or a form: everything but unreserved characters is escaped, space is "+"
	URL                       // inside a URL: only what may not stand in a URL at all is escaped
)

// Template is a compiled text. It is immutable and shared by all users.
type Template struct{}

// Append writes the text for one user. It allocates nothing beyond dst for literals, for variables
// that hold strings or numbers, and for __Random, __counter, __threadNum, __time and __UUID.
func (t *Template) Append(dst []byte, c *Context) ([]byte, error) { return dst, nil }

// Value gives the value for one user. If the text is one single ${…} the value keeps its type,
// else it is a string.
func (t *Template) Value(c *Context) (Value, error) { return Value{}, nil }

// Text gives the text for one user as a new string.
func (t *Template) Text(c *Context) (string, error) { return "", nil }

// Constant returns the text of a template that is the same for everyone, always.
func (t *Template) Constant() (string, bool) { return "", false }

// Single reports whether the text is one single ${…}.
func (t *Template) Single() bool { return false }

// Reads returns the names of the variables that the template reads, sorted.
func (t *Template) Reads() []string { return nil }

// Source returns the text that was compiled.
func (t *Template) Source() string { return "" }

// Encoded returns the template with values, but not its own literal text, written by e.
func (t *Template) Encoded(e Encoding) *Template { return t }

// Literal returns a template that is always text, without looking for "${".
func Literal(text string) *Template { return nil }

// Builder joins pieces into one template.
type Builder struct{}

// Literal adds fixed text.
func (b *Builder) Literal(text string) *Builder { return b }

// Add adds a template: literal text and values are both written by e.
func (b *Builder) Add(t *Template, e Encoding) *Builder { return b }

// Template returns what was built. The builder is empty afterwards.
func (b *Builder) Template() *Template { return nil }

// JSONBuilder builds the template of a compact JSON document. Calls follow the document's order:
//
//	b.Object(); b.Key(k); b.Text(t); b.Key(k2); b.Array(); b.Literal("1"); b.End(); b.End()
type JSONBuilder struct{}

// Object begins an object.
func (b *JSONBuilder) Object() {}

// Array begins an array.
func (b *JSONBuilder) Array() {}

// End ends the innermost object or array.
func (b *JSONBuilder) End() {}

// Key writes the next key of an object.
func (b *JSONBuilder) Key(key *Template) {}

// Text writes a string. A text that is one single ${…} keeps its type: a number stays a number.
func (b *JSONBuilder) Text(t *Template) {}

// Literal writes a finished JSON value such as 12, true or null.
func (b *JSONBuilder) Literal(raw string) {}

// Template returns the document's template. The builder is empty afterwards.
func (b *JSONBuilder) Template() *Template { return nil }
