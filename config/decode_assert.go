package config

// asserts reads the assertions of a request or scenario.
func (d *decoder) asserts(a at) []Assert {
	var out []Assert
	for _, item := range a.get("assert").mappings() {
		out = append(out, d.containsAssert(item))
	}
	for _, item := range a.get("assert-jsonpath").mappings() {
		expected := item.get("expected-value")
		x := d.queryAssert(item, AssertJSONPath, "jsonpath")
		x.Validate, x.Regexp = d.flag(item.get("validate")).Or(false), d.flag(item.get("regexp")).Or(true)
		x.ExpectNull, x.Expected = d.flag(item.get("expect-null")).Or(false), d.text(expected)
		if expected.Node != nil && item.get("validate").Node == nil {
			d.diags.Warnf("assert", expected.Pos, expected.path, "expected-value is compared, although \"validate: true\" is missing").
				WithHint("Taurus with JMeter would check nothing; write \"validate: true\" to say that this is meant")
			x.Validate = true
		}
		out = append(out, x)
	}
	for _, item := range a.get("assert-xpath").mappings() {
		x := d.queryAssert(item, AssertXPath, "xpath")
		x.Tolerant, x.Namespaces = d.flag(item.get("use-tolerant-parser")).Or(false), d.namespaces(item)
		out = append(out, x)
	}
	for _, item := range a.get("assert-css").mappings() {
		out = append(out, d.queryAssert(item, AssertCSS, "expression"))
	}
	for _, item := range a.get("assert-expr").mappings() {
		out = append(out, d.queryAssert(item, AssertExpr, "expr"))
	}
	return out
}

func (d *decoder) containsAssert(item at) Assert {
	x := Assert{
		Kind: AssertContains, At: At{Pos: item.Pos, Path: item.path},
		Subject: orElse(d.word(item.get("subject")), "body"), Patterns: d.textList(item.get("contains")),
		Regexp: d.flag(item.get("regexp")).Or(true), Not: d.flag(item.get("not")).Or(false),
		AssumeSuccess: d.flag(item.get("assume-success")).Or(false), Engine: d.word(item.get("engine")),
	}
	if contains := item.get("contains"); contains.Node != nil && len(x.Patterns) == 0 {
		d.diags.Errorf("invalid-value", contains.Pos, contains.path, "contains names nothing to look for").WithHint("write one or more texts")
	}
	return x
}

func (d *decoder) queryAssert(item at, kind AssertKind, key string) Assert {
	x := Assert{
		Kind: kind, At: At{Pos: item.Pos, Path: item.path}, Query: d.text(item.get(key)), Engine: d.word(item.get("engine")),
		Not: d.flag(item.get("invert")).Or(d.flag(item.get("not")).Or(false)),
	}
	d.notEmpty(x.Query, key)
	return x
}

// notEmpty reports a query that is written and empty.
func (d *decoder) notEmpty(query Text, key string) {
	if query.Pos.Known() && isBlank(query.Value) {
		d.diags.Errorf("invalid-value", query.Pos, query.Path, "the %s is empty", key).WithHint("write what to look for, or remove the entry")
	}
}

func (d *decoder) namespaces(item at) map[string]string {
	if item.get("namespaces").Node == nil {
		return nil
	}
	return textMap(item.get("namespaces"))
}
