package api

import (
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
)

// parseFilterText reads CQL2 text, such as `eo:cloud_cover < 10 AND S_INTERSECTS(geometry, POINT(20 20))`.
func parseFilterText(source string) (condition, *Error) {
	if len(source) > maxFilterBytes {
		return nil, badFilter("longer than %d bytes", maxFilterBytes)
	}
	p := &textParser{lexer: lexer{source: source}}
	p.next()
	c, err := p.disjunction(0)
	if err != nil {
		return nil, err
	}
	if p.kind != endToken {
		return nil, p.unexpected("the end")
	}
	return c, nil
}

type textParser struct{ lexer }

func (p *textParser) unexpected(wanted string) *Error {
	if p.kind == badToken {
		return badFilter("character %d: %s", p.start+1, p.text)
	}
	found := "the end"
	if p.kind != endToken {
		found = strconv.Quote(shorten(p.source[p.start:p.at]))
	}
	return badFilter("character %d: found %s, want %s", p.start+1, found, wanted)
}

// word reports whether the current token is this keyword, in any case.
func (p *textParser) word(keyword string) bool {
	return p.kind == nameToken && strings.EqualFold(p.text, keyword)
}

// accept skips a keyword or sign if it is next.
func (p *textParser) accept(s string) bool {
	if p.word(s) || p.kind == signToken && p.text == s {
		p.next()
		return true
	}
	return false
}

func (p *textParser) expect(s string) *Error {
	if !p.accept(s) {
		return p.unexpected(strconv.Quote(s))
	}
	return nil
}

func (p *textParser) disjunction(depth int) (condition, *Error) {
	list, err := p.joined("OR", depth, p.conjunction)
	if err != nil || len(list) > 1 {
		return or(list), err
	}
	return list[0], nil
}

func (p *textParser) conjunction(depth int) (condition, *Error) {
	list, err := p.joined("AND", depth, p.factor)
	if err != nil || len(list) > 1 {
		return and(list), err
	}
	return list[0], nil
}

// joined reads one or more conditions with a word between them.
func (p *textParser) joined(word string, depth int, part func(int) (condition, *Error)) (list []condition, err *Error) {
	for {
		c, err := part(depth)
		if err != nil {
			return nil, err
		}
		if list = append(list, c); !p.accept(word) {
			return list, nil
		}
	}
}

func (p *textParser) factor(depth int) (condition, *Error) {
	if depth > maxFilterDepth {
		return nil, badFilter("nested deeper than %d", maxFilterDepth)
	}
	if p.accept("NOT") {
		c, err := p.factor(depth + 1)
		if err != nil {
			return nil, err
		}
		return not{c}, nil
	}
	if p.accept("(") {
		c, err := p.disjunction(depth + 1)
		if err != nil {
			return nil, err
		}
		return c, p.expect(")")
	}
	if p.kind == nameToken && !p.quoted {
		op := strings.ToLower(p.text)
		switch {
		case op == "true" || op == "false":
			p.next()
			return constant(truthOf(op == "true")), nil
		case op == "s_intersects":
			return p.spatial(op)
		case temporalOp(op):
			return p.temporal(op)
		}
	}
	return p.predicate()
}

// predicate reads a comparison, LIKE, BETWEEN, IN or IS NULL.
func (p *textParser) predicate() (condition, *Error) {
	first, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.kind == signToken && comparisonOp(p.text) {
		op := p.text
		p.next()
		second, err := p.operand()
		if err != nil {
			return nil, err
		}
		return newComparison(op, first, second), nil
	}
	if p.accept("IS") {
		negated := p.accept("NOT")
		if err := p.expect("NULL"); err != nil {
			return nil, err
		}
		return negate(isNull{first}, negated), nil
	}
	negated := p.accept("NOT")
	switch {
	case p.accept("LIKE"):
		if p.kind != stringToken {
			return nil, p.unexpected("a pattern in quotes")
		}
		pattern := p.text
		p.next()
		return negate(newLike(first, pattern), negated), nil
	case p.accept("BETWEEN"):
		low, err := p.operand()
		if err != nil {
			return nil, err
		}
		if err := p.expect("AND"); err != nil {
			return nil, err
		}
		high, err := p.operand()
		if err != nil {
			return nil, err
		}
		return negate(newBetween(first, low, high), negated), nil
	case p.accept("IN"):
		list, err := p.list()
		if err != nil {
			return nil, err
		}
		return negate(newIn(first, list), negated), nil
	}
	return nil, p.unexpected("a comparison")
}

func negate(c condition, negated bool) condition {
	if negated {
		return not{c}
	}
	return c
}

func (p *textParser) list() ([]operand, *Error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	var list []operand
	for {
		o, err := p.operand()
		if err != nil {
			return nil, err
		}
		list = append(list, o)
		if !p.accept(",") {
			return list, p.expect(")")
		}
	}
}

func (p *textParser) operand() (operand, *Error) {
	switch p.kind {
	case stringToken:
		v := literal(textValue(p.text))
		p.next()
		return v, nil
	case numberToken:
		n, err := strconv.ParseFloat(p.text, 64)
		if err != nil {
			return nil, p.unexpected("a number")
		}
		p.next()
		return literal(numberValue(n)), nil
	case nameToken:
		name, quoted := p.text, p.quoted
		p.next()
		if quoted {
			return parseProperty(name), nil
		}
		switch strings.ToUpper(name) {
		case "TRUE", "FALSE":
			return literal(boolValue(strings.EqualFold(name, "true"))), nil
		case "TIMESTAMP", "DATE":
			s, err := p.argument()
			if err != nil {
				return nil, err
			}
			at, err := parseEnd(s, openFrom)
			return literal(instantValue(at)), err
		}
		return parseProperty(name), nil
	}
	return nil, p.unexpected("a property or a literal")
}

// argument reads ('text').
func (p *textParser) argument() (string, *Error) {
	if err := p.expect("("); err != nil {
		return "", err
	}
	if p.kind != stringToken {
		return "", p.unexpected("a text in quotes")
	}
	s := p.text
	p.next()
	return s, p.expect(")")
}

func (p *textParser) temporal(op string) (condition, *Error) {
	p.next()
	if err := p.expect("("); err != nil {
		return nil, err
	}
	of, err := p.operand()
	if err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	span, err := p.span()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return newTemporal(op, of, span)
}

func (p *textParser) span() (Interval, *Error) {
	switch {
	case p.accept("INTERVAL"):
		if err := p.expect("("); err != nil {
			return Interval{}, err
		}
		var ends [2]string
		for i := range ends {
			if i > 0 {
				if err := p.expect(","); err != nil {
					return Interval{}, err
				}
			}
			if p.kind != stringToken {
				return Interval{}, p.unexpected("a time in quotes")
			}
			ends[i] = p.text
			p.next()
		}
		if err := p.expect(")"); err != nil {
			return Interval{}, err
		}
		return parseSpan(ends[0], ends[1])
	case p.accept("DATE"):
		s, err := p.argument()
		if err != nil {
			return Interval{}, err
		}
		from, err := parseDate(s)
		return Interval{from, from + 24*3600*1e9 - 1}, err
	case p.accept("TIMESTAMP"):
		s, err := p.argument()
		if err != nil {
			return Interval{}, err
		}
		at, err := parseTimestamp(s)
		return Interval{at, at}, err
	}
	return Interval{}, p.unexpected("TIMESTAMP, DATE or INTERVAL")
}

func (p *textParser) spatial(op string) (condition, *Error) {
	p.next()
	if err := p.expect("("); err != nil {
		return nil, err
	}
	of, err := p.operand()
	if err != nil {
		return nil, err
	}
	if p.kind != signToken || p.text != "," {
		return nil, p.unexpected(strconv.Quote(","))
	}
	source, ok := p.balanced()
	if !ok {
		return nil, badFilter("the geometry of %s has no closing bracket", op)
	}
	shape, err := parseShape(source)
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	return newSpatial(op, of, shape)
}

// parseShape reads well-known text or BBOX(w, s, e, n).
func parseShape(source string) (geo.Geometry, *Error) {
	source = strings.TrimSpace(source)
	if len(source) > 4 && strings.EqualFold(source[:4], "BBOX") {
		b, err := parseBoxText(strings.Trim(strings.TrimSpace(source[4:]), "()"))
		if err != nil {
			return geo.Geometry{}, badFilter("%v", err)
		}
		return geo.BoxGeometry(b), nil
	}
	shape, err := geo.ParseWKT(source)
	if err != nil {
		return geo.Geometry{}, badFilter("%v", err)
	}
	return shape, nil
}
