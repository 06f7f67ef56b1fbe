package config

import (
	"io"
	"strings"
)

// FormatOptions tell [Format] what to write.
type FormatOptions struct {
	Origins bool // YAML: add "# file:line" to each line, and what it hides
	JSON    bool // JSON instead of YAML
	Mask    bool // hide secrets, see [MaskSecrets]
}

// Format writes a document as YAML or JSON, keys in their order.
func Format(w io.Writer, n *Node, o FormatOptions) error {
	if o.Mask {
		n = MaskSecrets(n)
	}
	var b strings.Builder
	if o.JSON {
		writeJSON(&b, n, "\n", "  ")
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
