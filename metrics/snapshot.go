package metrics

// Snapshot is the sum of all intervals so far.
type Snapshot struct {
	rows []*Row
}
