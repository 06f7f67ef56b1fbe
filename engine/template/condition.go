package template

// Condition is a compiled condition. It is immutable and shared by all users.
type Condition struct{}

// Eval decides for one user.
func (k *Condition) Eval(c *Context) (bool, error) { return false, nil }

// Language tells how the text was read: "javascript", "expr", "text" (a while that goes on until
// its text is "false") or "last-sample" (a while that goes on until a sample fails).
func (k *Condition) Language() string { return "" }

// SkipsFirst reports that a while with this condition enters its first round unchecked.
func (k *Condition) SkipsFirst() bool { return false }

// NeedsBody reports whether the response's body must be kept.
func (k *Condition) NeedsBody() bool { return false }

// NeedsHead reports whether the response's headers must be kept.
func (k *Condition) NeedsHead() bool { return false }

// Source returns the text that was compiled.
func (k *Condition) Source() string { return "" }
