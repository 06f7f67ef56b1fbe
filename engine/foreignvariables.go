package engine

import (
	"regexp"

	"github.com/stacrun/stacrun/config"
)

var (
	curlyVariable  = regexp.MustCompile(`\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}`) //nolint:gochecknoglobals // a constant
	dollarVariable = regexp.MustCompile(`\$([A-Za-z_]\w*)`)                 //nolint:gochecknoglobals // a constant
)

// foreignVariables warns of variables that are written as other tools have it: they are sent as they stand. Text like
// {{id}} may be meant (a search template), and so may $top; both are doubted where such a variable exists, and {{id}}
// in an address always.
func (c *compiler) foreignVariables(address config.Text, others ...config.Text) {
	for i, t := range append([]config.Text{address}, others...) {
		m, always := curlyVariable.FindStringSubmatch(t.Value), i == 0
		if m == nil {
			m, always = dollarVariable.FindStringSubmatch(t.Value), false
		}
		if m == nil {
			continue
		}
		if _, known := c.names.Lookup(m[1]); !known && !always {
			continue
		}
		c.list.Warnf("foreign-variable", t.Pos, t.Path, "%q is sent as it stands", m[0]).
			WithHint("a variable is written ${%s}", m[1])
	}
}
