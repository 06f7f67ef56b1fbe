package config

// normaliseScenario expands the shorthands of one scenario.
func normaliseScenario(n *Node) {
	if n == nil || n.Kind != Mapping {
		return
	}
	for _, key := range []string{"requests", "setup", "teardown"} {
		normaliseSteps(n, key)
	}
	if tasks := n.Get("tasks"); tasks != nil {
		for _, task := range tasks.Items {
			normaliseSteps(task, "requests")
		}
	}
	normaliseChecks(n)
	normaliseCriteria(n)
	normaliseTimeout(n)
	if n.Get("data-sources") != nil {
		listify(n, "data-sources")
		wrapItems(n.Get("data-sources"), "path")
	}
	if a := n.Entry("authorization"); a != nil {
		if list := a.Value.Get("list"); list != nil && list.Kind == Sequence {
			if c := a.Value.Entry("clear"); c != nil && len(list.Items) > 0 && list.Items[0].Kind == Mapping {
				list.Items[0].Set("clear", c.KeyPos, c.Value)
			}
			a.Value = list
		}
		listify(n, "authorization")
	}
}

// wrapItems turns the texts of a list into {key: text}.
func wrapItems(list *Node, key string) {
	if list == nil || list.Kind != Sequence {
		return
	}
	for i, item := range list.Items {
		if item.Kind == Scalar {
			list.Items[i] = mappingOf(key, item)
		}
	}
}

// normaliseSteps expands a list of requests and blocks.
func normaliseSteps(n *Node, key string) {
	if n == nil || n.Kind != Mapping || n.Get(key) == nil {
		return
	}
	listify(n, key)
	list := n.Get(key)
	wrapItems(list, "url")
	for _, step := range list.Items {
		if step.Kind != Mapping {
			continue
		}
		block := blockOf(step)
		switch block {
		case "":
			normaliseChecks(step)
			normaliseTimeout(step)
		case "once", "parallel", "setup", "teardown":
			normaliseSteps(step, block)
		case "if":
			normaliseSteps(step, "then")
			normaliseSteps(step, "else")
		case "retry":
			if policy := step.Entry("retry"); policy.Value.Kind == Scalar {
				policy.Value = mappingOf("attempts", policy.Value)
			}
			normaliseSteps(step, "do")
		default:
			normaliseSteps(step, "do")
		}
	}
}

// blockOf names the block that a step is, or "" for a request.
func blockOf(step *Node) string {
	for _, key := range blockKeys {
		if step.Get(key) != nil {
			return key
		}
	}
	return ""
}

// checkKeys are the keys of assertions and of extractors, with the key of their long form that
// holds what the short form is.
var (
	assertKeys = [][2]string{
		{"assert", "contains"}, {"assert-jsonpath", "jsonpath"}, {"assert-xpath", "xpath"}, {"assert-css", "expression"}, {"assert-expr", "expr"},
	}
	extractKeys = [][2]string{
		{"extract-jsonpath", "jsonpath"}, {"extract-regexp", "regexp"}, {"extract-css-jquery", "expression"}, {"extract-css", "expression"},
		{"extract-xpath", "xpath"}, {"extract-boundary", ""}, {"extract-header", "header"},
	}
)

// normaliseChecks expands assertions and extractors of a scenario or request.
func normaliseChecks(n *Node) {
	for _, k := range assertKeys {
		if n.Get(k[0]) == nil {
			continue
		}
		listify(n, k[0])
		wrapItems(n.Get(k[0]), k[1])
		if k[0] == "assert" {
			for _, item := range n.Get(k[0]).Items {
				listify(item, "contains")
			}
		}
	}
	for _, k := range extractKeys {
		variables := n.Get(k[0])
		if variables == nil || variables.Kind != Mapping {
			continue
		}
		for i := range variables.Entries {
			if e := &variables.Entries[i]; e.Value.Kind == Scalar {
				e.Value = mappingOf(k[1], e.Value)
			}
		}
	}
}

// normaliseTimeout turns one time into the two limits it means: for connecting, and in total.
func normaliseTimeout(n *Node) {
	e := n.Entry("timeout")
	if e == nil || e.Value.Kind != Scalar {
		return
	}
	value := e.Value
	e.Value = mappingOf("connect", value)
	e.Value.Set("total", value.Pos, value)
}
