package api

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
)

// truth is the outcome of a condition in SQL's three-valued logic: a comparison with a value that is
// not there is unknown, and so is its negation; neither matches.
type truth int8

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// condition is a compiled filter, of CQL2 in JSON or text or of the query extension.
type condition interface{ test(it *Item) truth }

// operand is a property or a literal in a condition.
type operand interface{ of(it *Item) value }

// literal is a constant operand.
type literal value

func (l literal) of(*Item) value { return value(l) }

type constant truth

func (c constant) test(*Item) truth { return truth(c) }

// and is the least of its parts, or the greatest.
type (
	and []condition
	or  []condition
	not struct{ of condition }
)

func (a and) test(it *Item) truth {
	result := yes
	for _, c := range a {
		if result = min(result, c.test(it)); result == no {
			return no
		}
	}
	return result
}

func (o or) test(it *Item) truth {
	result := no
	for _, c := range o {
		if result = max(result, c.test(it)); result == yes {
			return yes
		}
	}
	return result
}

func (n not) test(it *Item) truth { return -n.of.test(it) }

// comparison is one of = <> < <= > >=.
type comparison struct {
	op   string
	a, b operand
}

func (c comparison) test(it *Item) truth {
	a, b := c.a.of(it), c.b.of(it)
	if a.kind == kindNull || b.kind == kindNull {
		return unknown
	}
	if a.kind != b.kind {
		return truthOf(c.op == "<>")
	}
	d := a.compare(b)
	switch c.op {
	case "=":
		return truthOf(d == 0)
	case "<>":
		return truthOf(d != 0)
	case "<":
		return truthOf(d < 0)
	case "<=":
		return truthOf(d <= 0)
	case ">":
		return truthOf(d > 0)
	}
	return truthOf(d >= 0)
}

func comparisonOp(op string) bool {
	return slices.Contains([]string{"=", "<>", "<", "<=", ">", ">="}, op)
}

type isNull struct{ of operand }

func (n isNull) test(it *Item) truth {
	if p, ok := n.of.(property); ok {
		// Lists and objects have no value to compare but are there.
		if raw, given := it.Properties[p.name]; given {
			return truthOf(raw == nil)
		}
	}
	return truthOf(n.of.of(it).kind == kindNull)
}

// like matches a text against a pattern with % (any characters), _ (one) and \ (takes the next as it is).
type like struct {
	of      operand
	pattern []likePart
}

// likePart is a literal piece that may be preceded by at least `skip` characters, or exactly that many.
type likePart struct {
	skip  int
	any   bool
	piece string
}

func newLike(of operand, pattern string) like {
	l := like{of: of}
	part := likePart{}
	var piece strings.Builder
	flush := func() {
		part.piece = piece.String()
		l.pattern = append(l.pattern, part)
		part = likePart{}
		piece.Reset()
	}
	escaped := false
	for _, r := range pattern {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && (r == '%' || r == '_'):
			if piece.Len() > 0 {
				flush()
			}
			if r == '%' {
				part.any = true
			} else {
				part.skip++
			}
		default:
			piece.WriteRune(r)
		}
		escaped = false
	}
	flush()
	return l
}

func (l like) test(it *Item) truth {
	v := l.of.of(it)
	switch v.kind {
	case kindNull:
		return unknown
	case kindText:
		return truthOf(matchLike(l.pattern, v.text))
	}
	return no
}

// matchLike is greedy from the left, which is exact: after an "any" the first place where the next
// piece fits leaves the most for the rest; the last piece must fit at the end.
func matchLike(parts []likePart, s string) bool {
	for i, p := range parts {
		for range p.skip {
			if s == "" {
				return false
			}
			_, size := firstRune(s)
			s = s[size:]
		}
		last := i == len(parts)-1
		switch {
		case last && p.any:
			return strings.HasSuffix(s, p.piece)
		case last:
			return s == p.piece
		case !p.any:
			if !strings.HasPrefix(s, p.piece) {
				return false
			}
			s = s[len(p.piece):]
		default:
			for {
				at := strings.Index(s, p.piece)
				if at < 0 {
					return false
				}
				if rest := s[at+len(p.piece):]; matchLike(parts[i+1:], rest) {
					return true
				}
				if s == "" {
					return false
				}
				_, size := firstRune(s)
				s = s[min(len(s), at+size):]
			}
		}
	}
	return true
}

type between struct{ of, low, high operand }

func (b between) test(it *Item) truth {
	return and{comparison{">=", b.of, b.low}, comparison{"<=", b.of, b.high}}.test(it)
}

type in struct {
	of   operand
	list []operand
}

func (n in) test(it *Item) truth {
	v := n.of.of(it)
	if v.kind == kindNull {
		return unknown
	}
	for _, candidate := range n.list {
		if c := candidate.of(it); c.kind == v.kind && c.compare(v) == 0 {
			return yes
		}
	}
	return no
}

// has reports whether a literal of the list equals v.
func (n in) has(v value) bool {
	return slices.ContainsFunc(n.list, func(candidate operand) bool {
		l, ok := candidate.(literal)
		return ok && l.kind == v.kind && value(l).compare(v) == 0
	})
}

// spatial is s_intersects.
type spatial struct{ shape geo.Geometry }

func (s spatial) test(it *Item) truth {
	if !it.HasGeometry() {
		return unknown
	}
	return truthOf(it.Geometry.Intersects(s.shape))
}

// temporal relates an instant, or for the item's own time its span, to an interval.
type temporal struct {
	op   string // t_intersects, t_disjoint, t_before, t_after, t_equals, t_during
	of   property
	span Interval
}

func (t temporal) test(it *Item) truth {
	from, to := it.Start, it.End
	if t.of.name != "datetime" {
		v := t.of.of(it)
		if v.kind != kindInstant {
			return unknown
		}
		from, to = v.time, v.time
	}
	switch t.op {
	case "t_before":
		return truthOf(to < t.span.From)
	case "t_after":
		return truthOf(from > t.span.To)
	case "t_equals":
		return truthOf(from == t.span.From && to == t.span.To)
	case "t_during":
		return truthOf(from > t.span.From && to < t.span.To)
	case "t_disjoint":
		return truthOf(!t.span.Overlaps(from, to))
	}
	return truthOf(t.span.Overlaps(from, to))
}

func temporalOp(op string) bool {
	return slices.Contains([]string{"t_intersects", "t_disjoint", "t_before", "t_after", "t_equals", "t_during"}, op)
}

// readAsInstants turns text literals beside a temporal property into instants, because clients write
// plain RFC 3339 texts in filters.
func readAsInstants(operands ...*operand) {
	var found bool
	for _, o := range operands {
		if p, ok := (*o).(property); ok {
			found = found || p.temporal()
		}
	}
	if !found {
		return
	}
	for _, o := range operands {
		if l, ok := (*o).(literal); ok && l.kind == kindText {
			if at, err := parseInstant(l.text); err == nil {
				*o = literal(instantValue(at))
			}
		}
	}
}
