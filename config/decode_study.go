package config

import (
	"strconv"
	"strings"
)

// studies reads the blocks that describe many runs.
func (d *decoder) studies() {
	s := &d.file.Studies
	if a := d.root("benchmark"); a.Node != nil && a.Kind == Mapping {
		s.Benchmark = d.benchmark(a)
	}
	if a := d.root("compare"); a.Node != nil && a.Kind == Mapping {
		s.Compare = d.compare(a)
	}
	if a := d.root("capacity"); a.Node != nil && a.Kind == Mapping {
		s.Capacity = d.capacity(a)
	}
}

func (d *decoder) benchmark(a at) *BenchmarkStudy {
	b := &BenchmarkStudy{
		RunTime: d.duration(a.get("run-time")), SpawnRate: d.rate(a.get("spawn-rate")), WarmUp: d.duration(a.get("warm-up")),
		Pause: d.duration(a.get("pause")), Ingest: d.flag(a.get("ingest")), Output: d.text(a.get("output")), Pos: a.Pos,
	}
	b.Addresses = d.commaList(a.get("api-address"))
	for _, text := range d.commaList(a.get("users")) {
		n, err := strconv.Atoi(text.Value)
		if err != nil || n < 1 {
			d.diags.Errorf("wrong-type", text.Pos, text.Path, "users must be whole numbers of at least 1, got %q", text.Value).
				WithHint("write a list such as [10, 50, 100]")
			continue
		}
		b.Users = append(b.Users, n)
	}
	return b
}

// commaList reads a list of scalars, or one scalar with commas in it.
func (d *decoder) commaList(a at) (out []Text) {
	for _, text := range d.textList(a) {
		for part := range strings.SplitSeq(text.Value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, Text{Value: part, Pos: text.Pos, Path: text.Path})
			}
		}
	}
	return out
}

func (d *decoder) compare(a at) *CompareStudy {
	c := &CompareStudy{
		Repeats: d.count(a.get("repeats")), Precision: d.percent(a.get("precision")), Confidence: d.percent(a.get("confidence")),
		Pause: d.duration(a.get("pause")), Pos: a.Pos,
	}
	for i, item := range a.get("comparisons").mappings() {
		row := Comparison{Title: d.word(item.get("title")), Baseline: d.variant("baseline", item.get("baseline")), Pos: item.Pos}
		if row.Title == "" {
			row.Title = "comparison " + itoa(i+1)
		}
		if v := item.get("variant"); v.Node != nil {
			row.Variants = append(row.Variants, d.variant("variant", v))
		}
		variants := item.get("variants")
		for _, e := range variants.entries() {
			row.Variants = append(row.Variants, d.variant(e.Key, variants.get(e.Key)))
		}
		if len(row.Variants) == 0 {
			d.diags.Errorf("missing-key", item.Pos, item.path, "%q has nothing to compare with", row.Title).
				WithHint("add variant: {execution.0.concurrency: 8}, or variants with a name each")
			continue
		}
		c.List = append(c.List, row)
	}
	return c
}

// variant reads a mapping of paths to values.
func (d *decoder) variant(name string, a at) Variant {
	v := Variant{Name: name}
	if a.Node == nil {
		return v
	}
	v.Pos = a.Pos
	for _, e := range a.entries() {
		v.Overrides = append(v.Overrides, e.Key+"="+e.Value.String())
	}
	return v
}

func (d *decoder) capacity(a at) *CapacityStudy {
	return &CapacityStudy{
		Objectives: d.textList(a.get("objectives")), Load: d.word(a.get("load")),
		From: d.rate(a.get("from")), To: d.rate(a.get("to")), Step: d.duration(a.get("step")), WarmUp: d.duration(a.get("warm-up")),
		CoolDown: d.duration(a.get("cool-down")), Precision: d.percent(a.get("precision")), Confirm: d.count(a.get("confirm")), Pos: a.Pos,
	}
}

// percent reads a number with or without a percent sign.
func (d *decoder) percent(a at) Value[float64] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[float64]{}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || n <= 0 || n >= 100 {
		d.diags.Errorf("wrong-type", a.Pos, a.path, "%s must be a share between 0 and 100 %%, got %q", lastPart(a.path), text).
			WithHint("write a share such as 5%%")
		return Value[float64]{}
	}
	return Value[float64]{V: n, Set: true, Pos: a.Pos}
}
