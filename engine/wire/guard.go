package wire

// guard tells of panics in goroutines that no user waits for with a guard of its own: who started the run knows what to do with the terminal.
type guard struct{ dying func(mistake any) }

// watch is deferred by such a goroutine.
func (g guard) watch() {
	if g.dying == nil {
		return
	}
	if mistake := recover(); mistake != nil {
		g.dying(mistake)
	}
}
