package template

// Function is a function that expressions may call, such as randomBbox. Tables of them are handed
// to the [Compiler].
type Function struct {
	Name    string
	Params  string // as shown to people: "area, minDeg, maxDeg"
	Doc     string // one sentence
	Example string // such as `${randomBbox("land", 1, 5)}`
	MinArgs int
	MaxArgs int // -1: any number
	// Call computes a value from the arguments. It is called by the goroutine of one user, takes all
	// randomness from c.Rand, and must not keep c.
	Call func(c *Context, args []any) (any, error)
}
