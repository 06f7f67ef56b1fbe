package config

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// Criterion is one pass/fail rule as written. A sentence or its long form fails when it is true;
// Assert is an expr rule that must hold.
type Criterion struct {
	Text      string  // the sentence as written, or made from the long form
	Message   string  // own message; "" when none was given
	Subject   string  // avg-rt, p95, fail, rc5??, …
	Label     string  // "" : all
	Condition string  // >, >=, <, <=, =
	Threshold float64 // seconds, bytes, a count, or a share in percent when Percent
	Percent   bool
	Baseline  bool          // threshold is Percent of the baseline's value
	Logic     string        // for, within, over
	Timeframe time.Duration // 0: cumulative
	Stop      bool
	Fail      bool
	IfNoData  string // "", "fail" or "pass"
	Assert    string // expr rule; Subject and the rest are then empty
	Execution string // execution name it is limited to; "" : all together
	Class     string // monitoring criteria
	Pos       diag.Pos
	LabelPos  diag.Pos // where the label stands, or the text of Assert begins, when that is known
	Path      string
}

const criterionHint = `write "subject of label>threshold for 10s, stop as failed", such as "p95 of search>250ms" or "fail>1% for 10s, continue as failed"`

// ParseCriterion reads the short form of a pass/fail criterion, which fails when it is true:
//
//	[message ':'] subject ['of' label] condition threshold [('for'|'within'|'over') timeframe] [',' action ['as' status]]
//
// A label may hold colons, commas and comparison signs as long as the whole sentence can be read in
// one way: of several comparison signs the last one that is followed by a complete rest counts.
// pos is the place of the sentence's first character. The text of the result is normalised.
func ParseCriterion(sentence string, pos diag.Pos) (Criterion, diag.List) {
	whole := phrase{text: sentence, pos: pos}.trim()
	if message, rest, found := whole.cut(":"); found {
		// Taurus takes everything before the first colon for the message. A label may be a URL, so
		// this only counts when a complete sentence follows.
		if c, diags := parseSentence(rest.trim()); !diags.HasErrors() || rest.trim().startsWithSubject() {
			c.Message, c.Pos = message.trim().text, pos
			return c, diags
		}
	}
	c, diags := parseSentence(whole)
	c.Pos = pos
	return c, diags
}

// parseSentence reads a criterion without its message.
func parseSentence(p phrase) (Criterion, diag.List) {
	c := Criterion{Logic: "for", Stop: true, Fail: true}
	var diags diag.List
	if p.text == "" {
		diags.Errorf("criterion", p.pos, "", "the criterion is empty").WithHint("%s", criterionHint)
		return c, diags
	}
	end := 0
	for end < len(p.text) && isSubjectByte(p.text[end]) {
		end++
	}
	word, rest := p.sub(0, end), p.sub(end, len(p.text)).trim()
	subject, problem := readSubject(word)
	if problem != nil {
		diags.Add(*problem)
		return c, diags
	}
	c.Subject = subject.name
	labelled := false
	if after, ok := strings.CutPrefix(rest.text, "of"); ok && (after == "" || after[0] == ' ' || after[0] == '\t') {
		labelled = true
		rest = rest.sub(len("of"), len(rest.text)).trim()
	}
	operators := rest.operators()
	if !labelled && len(operators) > 0 && operators[0].from != 0 {
		between := rest.sub(0, operators[0].from).trim()
		diags.Errorf("criterion", between.pos, "", "unexpected %q between %q and the comparison", between.text, word.text).
			WithHint("a label is written after \"of\": \"%s of %s>…\"", word.text, bareLabel(between.text))
		return c, diags
	}
	if len(operators) == 0 {
		diags.Errorf("criterion", rest.pos, "", "there is no comparison in %q", p.text).WithHint("%s", criterionHint)
		return c, diags
	}
	if !labelled {
		operators = operators[:1]
	}
	// The last comparison that reads to the end wins; if none does, the last one tells what is wrong.
	for i := len(operators) - 1; i >= 0; i-- {
		op := operators[i]
		attempt := c
		found := attempt.readComparison(subject, rest, op, labelled)
		if !found.HasErrors() {
			attempt.Text = attempt.sentence(word.text)
			return attempt, found
		}
		if diags == nil {
			diags = found
		}
	}
	return c, diags
}

// bareLabel takes away what stands around a label that was written in another way: "for home", "(home)", "{label:home}".
func bareLabel(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "for "), "of ")
	for _, pair := range []string{"()", "[]", "{}", `""`, "''"} {
		if len(text) > 2 && text[0] == pair[0] && text[len(text)-1] == pair[1] {
			text = text[1 : len(text)-1]
		}
	}
	return text
}

// readComparison reads label, operator, threshold and tail around one operator.
func (c *Criterion) readComparison(subject subject, p phrase, op operator, labelled bool) diag.List {
	var diags diag.List
	if labelled {
		label := p.sub(0, op.from).trim()
		c.Label, c.LabelPos = label.text, label.pos
		if label.text == "" {
			diags.Errorf("criterion", label.pos, "", "the label after \"of\" is missing").
				WithHint("name a label, or leave \"of\" out to judge all requests together")
			return diags
		}
	}
	sign := p.sub(op.from, op.to)
	if problem := c.setCondition(sign); problem != nil {
		diags.Add(*problem)
		return diags
	}
	rest := p.sub(op.to, len(p.text))
	tail, action, acts := rest.cut(",")
	threshold, logic, timeframe := splitTimeframe(tail)
	if problem := c.readThreshold(subject, threshold.trim()); problem != nil {
		diags.Add(*problem)
	} else if limit := threshold.trim(); subject.measure == measureTime && strings.Trim(limit.text, "0123456789") == "" && c.Threshold >= 100 {
		diags.Warnf("criterion", limit.pos, "", "%s without a unit is %s", limit.text, FormatDuration(time.Duration(c.Threshold*1e9))).
			WithHint("write %q when milliseconds are meant", limit.text+"ms")
	} else if subject.measure == measureTime {
		doubtBareSeconds(&diags, limit.pos, "", limit.text)
	}
	if logic.text != "" {
		c.Logic = logic.text
		diags.Add(c.readTimeframe(timeframe.trim())...)
	}
	if acts {
		diags.Add(c.readAction(action.trim())...)
	}
	if acts && c.Stop && c.Timeframe == 0 && !diags.HasErrors() {
		stopsNothing(&diags, action.trim().pos, c)
	}
	if !diags.HasErrors() {
		if doubt := c.doubt(sign); doubt != nil {
			diags.Add(*doubt)
		}
	}
	return diags
}

// stopsNothing warns of a rule that says that it stops the run, but is only judged when the run is over.
func stopsNothing(diags *diag.List, pos diag.Pos, c *Criterion) {
	windowed := *c
	windowed.Timeframe, windowed.Message = 10*time.Second, ""
	diags.Warnf("criterion-sense", pos, "", "a criterion without a time is judged at the end and stops nothing").
		WithHint("write %q to stop the run, or leave %q out", windowed.sentence(c.Subject), "stop")
}

// setCondition checks an operator and stores it, with == as =.
func (c *Criterion) setCondition(sign phrase) *diag.Diagnostic {
	c.Condition = sign.text
	switch sign.text {
	case ">", ">=", "<", "<=", "=":
		return nil
	case "==":
		c.Condition = "="
		return nil
	}
	var diags diag.List
	d := diags.Errorf("criterion", sign.pos, "", "unknown comparison %q", sign.text)
	switch sign.text {
	case "=>":
		d.WithHint(`write ">="`)
	case "=<":
		d.WithHint(`write "<="`)
	default:
		d.WithHint("write one of > >= < <= =")
	}
	return d
}

// splitTimeframe parts "10% for 5s" at its last timeframe word.
func splitTimeframe(p phrase) (threshold, logic, timeframe phrase) {
	fields := p.fields()
	for i := len(fields) - 1; i > 0; i-- {
		switch fields[i].text {
		case "for", "within", "over":
			at := fields[i].offset - p.offset
			return p.sub(0, at), fields[i], p.sub(at+len(fields[i].text), len(p.text))
		}
	}
	return p, phrase{}, phrase{}
}

func (c *Criterion) readTimeframe(p phrase) diag.List {
	var diags diag.List
	d, err := ParseDuration(p.text)
	switch {
	case p.text == "":
		diags.Errorf("criterion", p.pos, "", "the time after %q is missing", c.Logic).WithHint("write a time such as %q", c.Logic+" 10s")
	case err != nil:
		if bad := badTail(p); bad != nil {
			diags.Add(*bad)
			break
		}
		unitProblem(&diags, p.pos, "", err)
	case d == 0:
		diags.Warnf("timeframe", p.pos, "", "%s is no window: the rule is judged at the end, over the whole run", p.text).
			WithHint("leave %q out, or write a time such as %q", c.Logic+" "+p.text, c.Logic+" 10s")
	default:
		doubtBareSeconds(&diags, p.pos, "", p.text)
	}
	if c.Timeframe = d; d == 0 {
		c.Logic = "for" // cumulative, where the word means nothing
	}
	return diags
}

// badTail explains a time that is followed by words which belong behind a comma, or nowhere.
func badTail(p phrase) *diag.Diagnostic {
	fields := p.fields()
	for i := 1; i < len(fields); i++ {
		if strings.ContainsAny(fields[i].text[:1], "0123456789") {
			continue
		}
		if _, err := ParseDuration(fields[i].text); err == nil {
			continue
		}
		if _, known := durationUnits[strings.ToLower(fields[i].text)]; known {
			continue
		}
		var diags diag.List
		rest := p.sub(fields[i].offset-p.offset, len(p.text))
		d := diags.Errorf("criterion", rest.pos, "", "unexpected %q at the end of the criterion", rest.text)
		switch fields[i].text {
		case "stop", "continue":
			d.WithHint("put a comma before it: %q", ", "+rest.text)
		case "for", "within", "over":
			d.WithHint("give one time only, after for, within or over")
		default:
			d.WithHint("%s", criterionHint)
		}
		return d
	}
	return nil
}

var (
	actions  = []string{"stop", "continue"}
	statuses = []string{"failed", "non-failed"}
)

// readAction reads "stop", "continue", each with "as failed" or "as non-failed".
func (c *Criterion) readAction(p phrase) diag.List {
	var diags diag.List
	fields := p.fields()
	if len(fields) == 0 {
		diags.Errorf("criterion", p.pos, "", "nothing follows the comma").
			WithHint("write what happens: stop or continue, as failed or as non-failed")
		return diags
	}
	switch fields[0].text {
	case "stop":
	case "continue":
		c.Stop = false
	default:
		diags.Errorf("criterion", fields[0].pos, "", "unknown action %q", fields[0].text).
			WithHint("%s", orElse(diag.DidYouMean(fields[0].text, actions), "write stop or continue, such as \", continue as failed\""))
		return diags
	}
	if len(fields) == 1 {
		return diags
	}
	if fields[1].text != "as" || len(fields) == 2 {
		diags.Errorf("criterion", fields[1].pos, "", "unexpected %q after %q", p.sub(fields[1].offset-p.offset, len(p.text)).text, fields[0].text).
			WithHint("write %q or %q", fields[0].text+" as failed", fields[0].text+" as non-failed")
		return diags
	}
	switch status := fields[2]; status.text {
	case "failed":
	case "non-failed":
		c.Fail = false
	default:
		hint := diag.DidYouMean(status.text, statuses)
		if strings.HasPrefix(status.text, "succe") || strings.HasPrefix(status.text, "pass") {
			hint = fmt.Sprintf("write %q", "as non-failed")
		}
		diags.Errorf("criterion", status.pos, "", "unknown status %q", status.text).
			WithHint("%s", orElse(hint, "write failed or non-failed"))
		return diags
	}
	if len(fields) > 3 {
		rest := p.sub(fields[3].offset-p.offset, len(p.text))
		diags.Errorf("criterion", rest.pos, "", "unexpected %q at the end of the criterion", rest.text).WithHint("%s", criterionHint)
	}
	return diags
}

// sentence writes the criterion in its shortest form, without the message; subject is as written.
func (c *Criterion) sentence(subject string) string {
	var b strings.Builder
	b.WriteString(subject)
	if c.Label != "" {
		b.WriteString(" of " + c.Label)
	}
	if strings.ContainsRune("<>=!", rune(b.String()[b.Len()-1])) {
		b.WriteByte(' ') // keep the sign apart from a label that ends in one
	}
	b.WriteString(c.Condition + c.limit())
	if c.Timeframe > 0 {
		b.WriteString(" " + c.Logic + " " + FormatDuration(c.Timeframe))
	}
	switch {
	case !c.Stop && c.Fail:
		b.WriteString(", continue as failed")
	case !c.Stop:
		b.WriteString(", continue as non-failed")
	case !c.Fail:
		b.WriteString(", stop as non-failed")
	}
	return b.String()
}

// unitProblem reports an error of the unit parsers at the place of its offending part.
func unitProblem(diags *diag.List, pos diag.Pos, path string, err error) *diag.Diagnostic {
	unit, ok := err.(*UnitError) //nolint:errorlint // the parsers of this file return it bare
	if !ok {
		return diags.Errorf("invalid-value", pos, path, "%v", err)
	}
	if pos.Column > 0 {
		pos.Column += utf8.RuneCountInString(unit.Text[:min(unit.Offset, len(unit.Text))])
	}
	return diags.Errorf("invalid-"+unit.Kind, pos, path, "%v", err).WithHint("%s", unit.Hint)
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
