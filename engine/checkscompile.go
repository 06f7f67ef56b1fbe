package engine

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/assert"
	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/template"
)

// check is a compiled assertion with the sentence that a trace shows.
type check struct {
	*assert.Check[*template.Context]
	text string
}

// extraction is a compiled extractor with the places of its variables.
type extraction struct {
	*extract.Extractor[*template.Context]
	slot     template.Slot
	family   template.Family
	keep     bool // something reads name_1, name_matchNr …
	fallback string
	optional bool // a default was written: finding nothing is no failure
	query    string
	metric   bool               // its value is the sample's number
	from     *template.Template // the variable that is searched; nil: the response
	part     part               // which responses those are
}

// checks compiles assertions and extractors: those of the scenario first.
func (c *compiler) checks(r *request, in *config.Request, sc *scope) {
	for _, list := range [][]config.Extractor{sc.extractors, in.Extractors} {
		for i := range list {
			c.extractor(r, &list[i])
		}
	}
	for _, list := range [][]config.Assert{sc.asserts, in.Asserts} {
		for i := range list {
			c.check(r, &list[i])
		}
	}
}

// textOf is a compiled text, or a nil interface where none was written.
func (c *compiler) textOf(t config.Text) extract.Text[*template.Context] {
	if !t.Set() {
		return nil
	}
	return c.text(t)
}

func (c *compiler) extractor(r *request, in *config.Extractor) {
	spec := extract.Spec[*template.Context]{
		Kind: extract.Kind(in.Kind), Variable: in.Variable, Query: c.textOf(in.Query), Left: c.textOf(in.Left), Right: c.textOf(in.Right),
		Subject: in.Subject, Template: in.Template, Attribute: in.Attribute, Concat: in.Concat, Engine: in.Engine,
		Tolerant: in.Tolerant, Namespaces: in.Namespaces, Pos: in.Pos, QueryPos: in.Query.Pos, Path: in.Path,
	}
	if in.MatchNo.Set {
		spec.MatchNo = &in.MatchNo.V
	}
	if in.Default.Set {
		spec.Default = &in.Default.V
	}
	compiled, list := extract.Compile(spec)
	c.list.Add(list...)
	x := extraction{
		Extractor: compiled, slot: c.names.Declare(in.Variable), family: c.names.DeclarePrefix(in.Variable),
		fallback: in.Default.Or(extract.NotFound), optional: in.Default.Set, query: describeExtractor(in),
	}
	switch in.Scope {
	case "children":
		x.part = childPart
	case "all":
		x.part = allParts
	}
	if in.FromVariable != "" {
		x.from = c.text(config.Text{Value: "${" + in.FromVariable + "}", Pos: in.Pos, Path: in.Path})
	} else {
		c.needs(r, compiled.NeedsHead(), compiled.NeedsBody())
		r.needsURL = r.needsURL || in.Subject == "url"
	}
	if x.metric = in.Metric; x.metric {
		c.metric(r, in)
	}
	at := len(r.extractions)
	r.extractions = append(r.extractions, x)
	c.later = append(c.later, func() {
		if c.names.Used(x.family) {
			compiled.KeepMatches(true)
			r.extractions[at].keep = true
		}
	})
}

func (c *compiler) check(r *request, in *config.Assert) {
	spec := assert.Spec[*template.Context]{
		Kind: assert.Kind(in.Kind), Subject: in.Subject, Regexp: in.Regexp, Engine: in.Engine, Not: in.Not,
		AssumeSuccess: in.AssumeSuccess, ExpectNull: in.ExpectNull, Tolerant: in.Tolerant, Namespaces: in.Namespaces,
		Pos: in.Pos, QueryPos: in.Query.Pos, Path: in.Path,
	}
	for _, p := range in.Patterns {
		spec.Patterns = append(spec.Patterns, c.text(p))
		spec.PatternPos = append(spec.PatternPos, p.Pos)
	}
	if in.Kind == config.AssertExpr {
		condition, list := c.beside(in.Query.Pos).Check(in.Query.Value, in.Query.Pos, in.Query.Path)
		c.list.Add(list...)
		if list.HasErrors() {
			return
		}
		spec.Condition = condition
	} else {
		spec.Query = c.textOf(in.Query)
	}
	if in.Validate {
		spec.Expected = c.text(in.Expected)
	}
	compiled, list := assert.Compile(spec)
	c.list.Add(list...)
	r.checks = append(r.checks, check{Check: compiled, text: describeAssert(in)})
	r.assumeSuccess = r.assumeSuccess || compiled.AssumeSuccess()
	c.needs(r, compiled.NeedsHead(), compiled.NeedsBody())
}

func (c *compiler) needs(r *request, head, body bool) {
	r.wire.KeepHead = r.wire.KeepHead || head
	r.wire.KeepBody = r.wire.KeepBody || body
}

// describeAssert says in words what a check asks for.
func describeAssert(in *config.Assert) string {
	var b strings.Builder
	not := ""
	if in.Not {
		not = "not "
	}
	switch in.Kind {
	case config.AssertContains:
		subject := in.Subject
		if subject == "" {
			subject = "body"
		}
		verb := "contains"
		if in.Regexp {
			verb = "matches"
		}
		fmt.Fprintf(&b, "%s %s%s", subject, not, verb)
		for i, p := range in.Patterns {
			if i > 0 {
				b.WriteString(" and")
			}
			fmt.Fprintf(&b, " %q", p.Value)
		}
	case config.AssertExpr:
		b.WriteString(not + in.Query.Value)
	default:
		kind := [...]string{config.AssertJSONPath: "jsonpath", config.AssertXPath: "xpath", config.AssertCSS: "css"}[in.Kind]
		fmt.Fprintf(&b, "%s%s %s", not, kind, in.Query.Value)
		if in.Validate {
			fmt.Fprintf(&b, " is %q", in.Expected.Value)
		}
	}
	return b.String()
}

func describeExtractor(in *config.Extractor) string {
	kind := [...]string{"jsonpath", "regexp", "css", "xpath", "boundary", "header"}[in.Kind]
	if in.Kind == config.ExtractBoundary {
		return fmt.Sprintf("%s %q … %q", kind, in.Left.Value, in.Right.Value)
	}
	return kind + " " + in.Query.Value
}

// condition compiles the condition of an if or of a request.
func (c *compiler) condition(t config.Text) *template.Condition {
	compiled, list := c.beside(t.Pos).Condition(t.Value, t.Pos, t.Path)
	c.list.Add(list...)
	return compiled
}

func (c *compiler) thinkTime(v config.Value[config.ThinkTime]) *thinkTime {
	if !v.Set {
		return nil
	}
	t := &thinkTime{distribution: v.V.Distribution, mean: v.V.Mean, deviation: v.V.Deviation}
	if v.V.Template.Set() && v.V.Template.Value != "" {
		compiled := c.text(v.V.Template)
		if text, ok := compiled.Constant(); ok {
			d, err := pauseText(text)
			if err != nil {
				c.list.Errorf("bad-duration", v.V.Template.Pos, v.V.Template.Path, "think-time %q: %s", text, err).WithHint("write 500ms, 2s or 1m")
			}
			t.mean = d
		} else {
			t.template = compiled
		}
	}
	if t.none() {
		return nil
	}
	return t
}

// plainError is the text of a file error without the name, which the message has already.
func plainError(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}

// metric names the number of a label. A sample has room for one.
func (c *compiler) metric(r *request, in *config.Extractor) {
	for i := range r.extractions {
		if r.extractions[i].metric {
			c.list.Errorf("conflict", in.Pos, in.Path, "%q and %q cannot both be the metric of one request", r.extractions[i].Variable(), in.Variable).
				WithHint("keep metric: true at one of them")
			return
		}
	}
	if c.plan.metrics == nil {
		c.plan.metrics = map[string]string{}
	}
	c.plan.metrics[r.label.text] = in.Variable
}
