package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// blockKeys are the keys that make a step something other than a request, in the order in which
// Taurus looks for them.
var blockKeys = []string{
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
		if title == "request" && (e.Key == "do" || e.Key == "then" || e.Key == "else") {
			meant["*"] = true // a block without its name, not a request without its url
		}
		other := synonym(title, e.Key, known)
		suggestion := orElse(other, suggest(e.Key, properties, known))
		elsewhere := r.belongs(e.Key, f.schema)
		if title == "execution" && elsewhere == "a scenario" && node.Get("scenario") == nil {
			d.WithHint("%q belongs in a scenario: write scenario: {%s: …}, or name one of \"scenarios\"", e.Key, e.Key)
			meant["scenario"] = true
			continue
		}
		switch {
		case advice(title, e.Key) != "":
			d.WithHint("%s", advice(title, e.Key))
		case strings.Contains(other, ": "):
			d.WithHint("write %q", other)
		case suggestion != "" && (elsewhere == "" || near(e.Key, suggestion) || other != ""):
			d.WithHint("did you mean %q?", suggestion)
			meant[suggestion] = true
		case elsewhere != "":
			d.WithHint("%q belongs in %s", e.Key, elsewhere)
		case len(propertyNames([]schemaNode{f.schema})) <= 14:
			d.WithHint("known keys: %s", strings.Join(propertyNames([]schemaNode{f.schema}), ", "))
		default:
			if key, block := r.nearElsewhere(e.Key, f.schema); key != "" {
				d.WithHint("did you mean %q, which belongs in %s?", key, block)
			} else {
				d.WithHint("remove it; `stacrun schema` lists the keys of %s", where)
			}
		}
	}
	return meant
}

// suggest finds the key that was probably meant. A key that has no effect is only offered to one
// who began it rightly.
func suggest(key string, properties schemaNode, known []string) string {
	found := diag.Suggest(key, known)
	if p, _ := properties[found].(schemaNode); p["x-taurus"] != nil && (key == "" || found[0] != key[0]) {
		return ""
	}
	return found
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
var homes = []struct{ pointer, name string }{
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

// synonyms are words of other tools for our keys, by the block in which they are found.
var synonyms = map[string]map[string]string{
	"execution": {
		"users": "concurrency", "vus": "concurrency", "threads": "concurrency", "virtual-users": "concurrency", "clients": "concurrency",
		"duration": "hold-for", "run-time": "hold-for", "time": "hold-for", "loops": "iterations", "loop-count": "iterations", "loop": "iterations",
		"rps": "throughput", "rate": "arrival-rate", "qps": "throughput", "ramp": "ramp-up", "hatch-rate": "spawn-rate", "startup": "ramp-up",
	},
	"scenario": {
		"base-url": "default-address", "baseurl": "default-address", "address": "default-address", "target": "default-address",
		"steps": "requests", "vars": "variables", "wait-time": "think-time", "pause": "think-time", "data": "data-sources", "csv": "data-sources", "auth": "authorization",
	},
	"request": {
		"name": "label", "uri": "url", "path": "url", "address": "url", "data": "body", "json": "body", "payload": "body", "verb": "method", "type": "method",
		"checks": "assert", "check": "assert", "expect": "assert", "status": "accept", "capture": "extract-jsonpath", "extract": "extract-jsonpath",
		"extract-json": "extract-jsonpath", "extract-regex": "extract-regexp", "extract-headers": "extract-header", "extract-xml": "extract-xpath",
		"extract-html": "extract-css", "assert-json": "assert-jsonpath", "assert-xml": "assert-xpath", "assert-html": "assert-css",
		"pause": "think-time", "wait": "think-time", "file": "body-file", "condition": "when",
	},
	"stacrun file": {
		"scenario": "scenarios", "executions": "execution", "executors": "execution", "load": "execution", "reporters": "reporting", "reporter": "reporting",
		"reports": "reporting", "report": "reporting", "service": "services", "module": "modules", "setting": "settings", "include": "included-configs",
		"includes": "included-configs", "thresholds": "reporting", "criteria": "reporting: [{module: passfail, criteria: […]}]",
		"passfail": "reporting: [{module: passfail, criteria: […]}]",
	},
	"stage":                {"target": "concurrency", "users": "concurrency", "vus": "concurrency", "rate": "arrival-rate", "rps": "arrival-rate", "time": "duration", "hold-for": "duration"},
	"task":                 {"name": "task", "label": "task", "title": "task", "steps": "requests", "do": "requests", "probability": "weight"},
	"if block":             {"do": "then", "requests": "then", "steps": "then", "otherwise": "else"},
	"loop block":           {"requests": "do", "steps": "do", "then": "do"},
	"while block":          {"requests": "do", "steps": "do", "then": "do"},
	"foreach block":        {"requests": "do", "steps": "do", "then": "do", "in": "foreach"},
	"transaction":          {"requests": "do", "steps": "do", "then": "do"},
	"retry block":          {"requests": "do", "steps": "do", "then": "do"},
	"shell command":        {"cmd": "command", "run": "command", "exec": "command", "stdout": "out", "stderr": "err"},
	"assert-xpath":         {"expression": "xpath", "query": "xpath", "path": "xpath"},
	"extract-xpath":        {"expression": "xpath", "query": "xpath", "path": "xpath", "match": "match-no"},
	"assert-css":           {"selector": "expression", "css": "expression"},
	"extract-css-jquery":   {"selector": "expression", "css": "expression", "attr": "attribute", "match": "match-no"},
	"reporter junit-xml":   {"file": "filename", "output": "filename", "path": "filename", "out": "filename"},
	"reporter csv":         {"file": "filename", "output": "filename", "path": "filename", "out": "filename"},
	"reporter json":        {"file": "filename", "output": "filename", "path": "filename", "out": "filename"},
	"reporter jtl":         {"file": "filename", "output": "filename", "path": "filename", "out": "filename"},
	"reporter final-stats": {"csv": "dump-csv", "xml": "dump-xml", "labels": "summary-labels"},
	"authorization":        {"user": "name", "login": "name", "pass": "password", "type": "mechanism"},
	"criterion":            {"metric": "subject", "value": "threshold", "limit": "threshold", "operator": "condition", "window": "timeframe", "for": "timeframe", "action": "stop", "name": "message"},
	"data source":          {"file": "path", "separator": "delimiter", "columns": "variable-names", "shuffle": "random-order", "recycle": "loop"},
	"upload":               {"file": "path", "name": "param", "field": "param", "type": "mime-type"},
	"tls":                  {"insecure": "verify: false", "skip-verify": "verify: false", "insecure-skip-verify": "verify: false", "certificate": "cert", "ca-cert": "ca"},
	"extract-regexp":       {"regex": "regexp", "pattern": "regexp", "expression": "regexp", "match": "match-no"},
	"extract-jsonpath":     {"path": "jsonpath", "expression": "jsonpath", "match": "match-no"},
	"assert-jsonpath":      {"path": "jsonpath", "expected": "expected-value", "equals": "expected-value", "value": "expected-value"},
	"assert":               {"pattern": "contains", "text": "contains", "matches": "contains"},
	"service stac-ingest":  {"address": "api-address", "url": "api-address", "host": "api-address"},
	"service stac-api":     {"addr": "address", "listen": "address", "count": "items"},
}

// advice says what to write instead of a word of another tool that has no key of its own here; "" for none.
func advice(title, key string) string {
	if title != "request" {
		return ""
	}
	switch strings.ReplaceAll(strings.ToLower(key), "_", "-") {
	case "params", "query", "query-params", "query-string", "parameters", "qs":
		return `put them into the url, such as "/search?limit=10", or into a flat body, which GET sends as the query`
	case "auth", "authorization", "bearer", "token":
		return `write authorization in the scenario, or "headers: {Authorization: …}" here`
	case "cookies", "cookie":
		return `write cookies in the scenario, or "headers: {Cookie: …}" here`
	}
	return ""
}

// synonym returns the key that another tool's word stands for in a block, with a value where one
// is needed ("verify: false"), or "".
func synonym(title, key string, known []string) string {
	s := synonyms[title][strings.ReplaceAll(strings.ToLower(key), "_", "-")]
	if key, _, _ := strings.Cut(s, ":"); contains(known, key) {
		return s
	}
	return ""
}
