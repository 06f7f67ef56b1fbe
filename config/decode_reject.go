package config

import (
	"fmt"
	"regexp"
)

// rejected reports keys of a scenario or request that only another tool can obey.
func (d *decoder) rejected(a at) {
	if actions := a.Node.Entry("actions"); actions != nil {
		d.diags.Errorf("unsupported", actions.KeyPos, a.path+".actions", "browser actions cannot run natively").
			WithHint("write the HTTP requests that the page makes, or keep Taurus with selenium for this scenario")
	}
	if scripts := a.Node.Entry("jsr223"); scripts != nil && scripts.Value.Kind != Null {
		e := d.diags.Errorf("unsupported", scripts.KeyPos, a.path+".jsr223", "a jsr223 script cannot run natively")
		e.WithHint("%s", scriptHint(scripts.Value))
	}
}

var putVariable = regexp.MustCompile(`^\s*vars\.put\(\s*["']([^"']+)["']\s*,\s*["']([^"']*)["']\s*\)\s*;?\s*$`)

// scriptHint translates the usual one-liner, vars.put("a", "b").
func scriptHint(n *Node) string {
	text := n.Text
	for n.Kind == Sequence && len(n.Items) == 1 {
		n = n.Items[0]
		text = n.Text
	}
	if n.Kind == Mapping {
		text = n.Get("script-text").String()
	}
	if parts := putVariable.FindStringSubmatch(text); parts != nil {
		return fmt.Sprintf("add a step \"set-variables: {%s: %q}\" instead", parts[1], parts[2])
	}
	return "use set-variables, extractors, ${…} expressions or assert-expr instead, or keep Taurus with JMeter for this scenario"
}
