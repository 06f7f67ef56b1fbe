package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// blockKeys are the keys that make a step something other than a request, in the order in which
// Taurus looks for them.
var blockKeys = []string{ //nolint:gochecknoglobals // a constant table
	"if", "once", "loop", "while", "foreach", "transaction", "include-scenario", "action", "set-variables",
	"setup", "teardown", "parallel", "retry",
}

// unknownKeys reports keys that a block does not know, at the key. It returns the keys that they
// were probably meant to be, "*" standing for all when one makes a block out of a request.
func (r *schemaReport) unknownKeys(diags *diag.List, f schemaFailure, node *Node, path string) map[string]bool {
	properties, _ := f.schema["properties"].(schemaNode)
	var known []string
	for key := range properties {
		known = append(known, key)
	}
	slices.Sort(known)
	title, _ := f.schema["title"].(string)
	var unknown []Entry
	for _, e := range node.Entries {
		if properties[e.Key] == nil && !(path == "" && isFree(e.Key)) {
			unknown = append(unknown, e)
		}
	}
	meant := map[string]bool{}
	if title == "request" {
		if block := r.misspeltBlock(unknown); block != "" {
			meant["*"] = true
			keys := r.schema.at("/$defs/" + block + "-block")["properties"].(schemaNode)
			unknown = slices.DeleteFunc(unknown, func(e Entry) bool { return keys[e.Key] != nil })
			known = append(known, blockKeys...)
		}
	}
	for _, e := range unknown {
		at := strings.TrimPrefix(path+"."+PathPart(e.Key), ".")
		where := title
		if path == "" {
			where = "the file"
		}
		d := diags.Errorf("unknown-key", e.KeyPos, at, "unknown key %q in %s", e.Key, where)
		d.Length = len([]rune(e.Key))
		suggestion := diag.Suggest(e.Key, known)
		elsewhere := r.belongs(e.Key, f.schema)
		switch {
		case suggestion != "" && (elsewhere == "" || near(e.Key, suggestion)):
			d.WithHint("did you mean %q?", suggestion)
			meant[suggestion] = true
		case elsewhere != "":
			d.WithHint("%q belongs in %s", e.Key, elsewhere)
		case len(known) <= 14:
			d.WithHint("known keys: %s", strings.Join(known, ", "))
		default:
			if other, block := r.nearElsewhere(e.Key, f.schema); other != "" {
				d.WithHint("did you mean %q, which belongs in %s?", other, block)
			} else {
				d.WithHint("remove it; `stacrun schema` lists the keys of %s", where)
			}
		}
	}
	return meant
}

// misspeltBlock finds the block that a mapping with unknown keys was meant to be, or "".
func (r *schemaReport) misspeltBlock(unknown []Entry) string {
	request := propertyNames([]schemaNode{r.schema.at("/$defs/request")})
	for _, e := range unknown {
		if s := diag.Suggest(e.Key, append(slices.Clone(blockKeys), request...)); contains(blockKeys, s) {
			return s
		}
	}
	return ""
}

// homes are the blocks in which a misplaced key is looked for, and how messages call them.
var homes = []struct{ pointer, name string }{ //nolint:gochecknoglobals // a constant table
	{"", "the top level of the file"},
	{"/$defs/execution", "an execution"},
	{"/$defs/scenario", "a scenario"},
	{"/$defs/request", "a request"},
	{"/$defs/settings", "settings"},
	{"/$defs/criterion", "a criterion"},
	{"/$defs/data-source", "a data source"},
	{"/$defs/tls", "tls"},
	{"/$defs/timeouts", "timeout"},
	{"/$defs/module-local", "modules.local"},
	{"/$defs/module-jmeter", "modules.jmeter"},
	{"/$defs/module-consolidator", "modules.consolidator"},
}

// belongs names the block that knows a key which another one does not.
func (r *schemaReport) belongs(key string, except schemaNode) string {
	if contains(blockKeys, key) {
		return "a list of requests, as a step of its own"
	}
	if key == "do" || key == "then" || key == "else" {
		return fmt.Sprintf("a block such as %s", map[string]string{"do": "loop or transaction", "then": "if", "else": "if"}[key])
	}
	for _, home := range homes {
		s := r.schema.at(home.pointer)
		if p := r.property(s, key); p != nil && p["x-taurus"] == nil && s["title"] != except["title"] {
			return home.name
		}
	}
	return ""
}

// nearElsewhere is belongs for a misspelt key.
func (r *schemaReport) nearElsewhere(key string, except schemaNode) (name, block string) {
	for _, home := range homes {
		s := r.schema.at(home.pointer)
		if s["title"] == except["title"] {
			continue
		}
		if found := diag.Suggest(key, propertyNames([]schemaNode{s})); found != "" {
			return found, home.name
		}
	}
	return "", ""
}

// near reports whether two keys differ only by case, "_" and "-".
func near(a, b string) bool {
	fold := func(s string) string { return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s)) }
	return fold(a) == fold(b)
}
