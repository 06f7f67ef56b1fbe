package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// reported is the code of an error that the schema has named already; it only keeps the criterion out.
const reported = "reported"

// criteria gathers the criteria of passfail reporters, executions and scenarios in document order.
func (d *decoder) criteria() {
	for _, e := range d.doc.Entries {
		switch e.Key {
		case "execution":
			for i, item := range d.root("execution").items() {
				if name, ok := d.executionNames()[i]; ok {
					d.criteriaList(item.get("criteria"), name)
				}
			}
		case "scenarios":
			for _, s := range d.root("scenarios").entries() {
				list := at{s.Value, "scenarios." + PathPart(s.Key)}.get("criteria")
				for i := range d.file.Executions {
					if x := &d.file.Executions[i]; x.Scenario == s.Key {
						d.criteriaList(list, x.Name)
					}
				}
			}
		case "reporting":
			for _, item := range d.root("reporting").mappings() {
				if d.word(item.get("module")) == "passfail" {
					d.criteriaList(item.get("criteria"), "")
				}
			}
		}
	}
}

// executionNames maps the place of an execution in the document to its name.
func (d *decoder) executionNames() map[int]string {
	names := map[int]string{}
	for i := range d.file.Executions {
		var index int
		if _, err := sscanIndex(d.file.Executions[i].Path, &index); err == nil {
			names[index] = d.file.Executions[i].Name
		}
	}
	return names
}

func (d *decoder) criteriaList(list at, execution string) {
	for _, item := range list.items() {
		if item.Node == nil || item.Kind != Scalar && item.Kind != Mapping {
			continue
		}
		c, diags := d.criterion(item)
		for i := range diags {
			diags[i].Path = item.path
		}
		d.diags.Add(slices.DeleteFunc(slices.Clone(diags), func(e diag.Diagnostic) bool { return e.Code == reported })...)
		if diags.HasErrors() {
			continue
		}
		c.Execution, c.Path = execution, item.path
		d.file.Criteria = append(d.file.Criteria, c)
	}
}

// criterion reads one criterion in either form.
func (d *decoder) criterion(a at) (Criterion, diag.List) {
	if a.Kind == Scalar {
		return ParseCriterion(a.Text, sentencePos(a.Node))
	}
	return d.longCriterion(a)
}

// sentencePos is where the text of a scalar begins: behind a quote.
func sentencePos(n *Node) diag.Pos {
	pos := n.Pos
	if n.Quoted && pos.Column > 0 {
		pos.Column++
	}
	return pos
}

func (d *decoder) longCriterion(a at) (Criterion, diag.List) {
	own := decoder{loader: d.loader, properties: d.properties}
	c := Criterion{
		Message: d.word(a.get("message")), Label: d.word(a.get("label")), LabelPos: d.text(a.get("label")).Pos,
		Logic: orElse(d.word(a.get("logic")), "for"), Timeframe: own.duration(a.get("timeframe")).V,
		Stop: own.flag(a.get("stop")).Or(true), Fail: own.flag(a.get("fail")).Or(true),
		IfNoData: d.word(a.get("if-no-data")), Assert: d.word(a.get("assert")), Pos: a.Pos,
	}
	if c.Timeframe == 0 {
		c.Logic = "for"
	}
	said := cmp.Or(a.Node.Entry("assert"), a.Node.Entry(sentenceKey))
	if said != nil && (said.Value.Kind == Null || strings.TrimSpace(said.Value.Text) == "") || len(a.Node.Entries) == 0 {
		pos := a.Pos
		if said != nil {
			pos = said.KeyPos
		}
		own.diags.Errorf("criterion", pos, a.path, "the criterion is empty").WithHint("%s", criterionHint)
		return c, own.diags
	}
	if c.Assert != "" {
		c.Text, c.LabelPos = c.Assert, sentencePos(a.get("assert").Node)
		own.alone(a, "assert", "criterion", "subject", "condition", "threshold", "label", "logic", "timeframe")
		return c, own.diags
	}
	if short := a.get(sentenceKey); short.scalar() {
		own.alone(a, sentenceKey, "subject", "condition", "threshold", "label", "logic", "timeframe", "class")
		return own.extended(a, short, c), own.diags
	}
	word, sign, limit := a.get("subject"), a.get("condition"), a.get("threshold")
	if !word.scalar() || !sign.scalar() || !limit.scalar() {
		own.diags.Errorf(reported, a.Pos, a.path, "the criterion is not complete")
		return c, own.diags
	}
	var about subject
	var problem *diag.Diagnostic
	if class := a.get("class"); class.scalar() && strings.Contains(class.Text, "onitoring") {
		c.Class = MonitoringClass
		about, problem = monitoringSubject(word)
	} else {
		about, problem = readSubject(phrase{text: word.Text, pos: sentencePos(word.Node)})
	}
	c.Subject = about.name
	for _, p := range []*diag.Diagnostic{problem, c.setCondition(phrase{text: sign.Text, pos: sign.Pos})} {
		if p != nil {
			own.diags.Add(*p)
		}
	}
	if problem == nil {
		if p := c.readThreshold(about, phrase{text: limit.Text, pos: sentencePos(limit.Node)}.trim()); p != nil {
			own.diags.Add(*p)
		}
	}
	if !own.diags.HasErrors() {
		c.Text = c.sentence(word.Text)
		if stop := a.get("stop"); stop.scalar() && c.Stop && c.Timeframe == 0 {
			stopsNothing(&own.diags, stop.Pos, &c)
		}
		if doubt := c.doubt(phrase{pos: sign.Pos}); doubt != nil {
			own.diags.Add(*doubt)
		}
	}
	return c, own.diags
}

// alone reports keys that say again what one key says already.
func (d *decoder) alone(a at, key string, others ...string) {
	for _, other := range others {
		if e := a.Node.Entry(other); e != nil && e.Value.Kind != Null {
			d.diags.Errorf("conflict", e.KeyPos, a.path+"."+other, "%q cannot stand beside %q", other, key).
				WithHint("the rule says everything; remove %q", other)
		}
	}
}

// extended reads a short form that stands in a mapping, whose other keys add to it.
func (d *decoder) extended(a, short at, long Criterion) Criterion {
	c, diags := ParseCriterion(short.Text, sentencePos(short.Node))
	if long.Message != "" { // then the sentence is not asked for one
		c, diags = parseSentence(phrase{text: short.Text, pos: sentencePos(short.Node)}.trim())
		c.Message = long.Message
	}
	c.Pos, c.IfNoData = short.Pos, long.IfNoData
	if a.get("stop").Node != nil {
		c.Stop = long.Stop
	}
	if a.get("fail").Node != nil {
		c.Fail = long.Fail
	}
	if !c.Fail { // the sentence did not know that it only tells
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Code == "criterion-sense" })
	}
	d.diags.Add(diags...)
	if !diags.HasErrors() {
		c.Text = c.sentence(c.Subject)
	}
	return c
}

// monitoringSubject reads source/metric.
func monitoringSubject(a at) (subject, *diag.Diagnostic) {
	about, err := ParseSubject(a.Text, MonitoringClass)
	s := subject{name: about.Name, written: a.Text, measure: measureAnything}
	if err != nil {
		var diags diag.List
		return s, diags.Errorf("criterion", a.Pos, a.path, "%v", err).
			WithHint("write local/cpu, the generator's share of the processor, or local/mem, its memory in bytes")
	}
	return s, nil
}
