package config

import "strings"

// extractKinds tells what each key extracts with; the order is that in which they run.
var extractKinds = []struct {
	key, query string
	kind       ExtractKind
}{
	{"extract-jsonpath", "jsonpath", ExtractJSONPath},
	{"extract-regexp", "regexp", ExtractRegexp},
	{"extract-css-jquery", "expression", ExtractCSS},
	{"extract-css", "expression", ExtractCSS},
	{"extract-xpath", "xpath", ExtractXPath},
	{"extract-boundary", "", ExtractBoundary},
	{"extract-header", "header", ExtractHeader},
}

// subjects maps the words of extract-boundary to those that all extractors share.
var subjects = map[string]string{"response-headers": "headers", "code": "http-code"}

// extractors reads the extractors of a request or scenario.
func (d *decoder) extractors(a at) []Extractor {
	var out []Extractor
	for _, k := range extractKinds {
		group := a.get(k.key)
		for _, e := range group.entries() {
			item := at{e.Value, group.path + "." + PathPart(e.Key)}
			if e.Value.Kind == Mapping {
				out = append(out, d.extractor(item, e, k.kind, k.query))
			}
		}
	}
	return out
}

func (d *decoder) extractor(item at, e Entry, kind ExtractKind, queryKey string) Extractor {
	x := Extractor{
		Kind: kind, Variable: strings.TrimSpace(e.Key), At: At{Pos: e.KeyPos, Path: item.path},
		MatchNo: d.matchNo(item.get("match-no")), Scope: d.word(item.get("scope")), FromVariable: d.word(item.get("from-variable")),
		Concat: d.flag(item.get("concat")).Or(false), Engine: d.word(item.get("engine")), Attribute: d.word(item.get("attribute")),
		Metric:   d.flag(item.get("metric")).Or(false),
		Tolerant: d.flag(item.get("use-tolerant-parser")).Or(false), Namespaces: d.namespaces(item), Subject: "body",
	}
	if queryKey != "" {
		x.Query = d.text(item.get(queryKey))
		d.notEmpty(x.Query, queryKey)
	}
	if fallback := item.Node.Entry("default"); fallback != nil && fallback.Value.Kind <= Scalar {
		x.Default = Value[string]{V: fallback.Value.String(), Set: true, Pos: fallback.Value.Pos}
	}
	if subject := item.get("subject"); subject.scalar() {
		x.Subject = orElse(subjects[subject.Text], subject.Text)
	}
	switch kind {
	case ExtractRegexp:
		x.Template = orElse(d.word(item.get("template")), "1")
	case ExtractBoundary:
		x.Left, x.Right = d.text(item.get("left")), d.text(item.get("right"))
	}
	if x.Scope == "" && x.FromVariable != "" {
		x.Scope = "variable"
	}
	if x.Scope == "variable" && x.FromVariable == "" {
		d.diags.Errorf("missing-key", item.get("scope").Pos, item.path, "\"from-variable\" is missing beside \"scope: variable\"").
			WithHint("name the variable that is searched")
	}
	return x
}

func (d *decoder) matchNo(a at) Value[int] {
	if !a.scalar() {
		return Value[int]{}
	}
	n, ok := a.Int()
	if !ok || n < -1 || n > 1<<20 {
		d.diags.Errorf("invalid-value", a.Pos, a.path, "match-no must be -1, 0 or a number from 1, got %q", a.Text).
			WithHint("n takes the n-th match, -1 all, 0 a random one")
		return Value[int]{}
	}
	return Value[int]{V: int(n), Set: true, Pos: a.Pos}
}
