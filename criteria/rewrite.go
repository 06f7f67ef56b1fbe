package criteria

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stacrun/stacrun/config"
)

// rewritten is an assert rule in plain expr syntax that remembers where its characters stood.
type rewritten struct {
	text  string
	spans []span // in order; characters between spans were copied
}

// span is a literal that was replaced; offsets and lengths in characters.
type span struct {
	from, length             int // in the new text
	original, originalLength int
}

// original gives the offset in the rule as written of a character of the new text. Inside a
// replaced literal that is the literal's beginning.
func (r rewritten) original(offset int) int {
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].from > offset }) - 1
	if i < 0 {
		return offset
	}
	s := r.spans[i]
	if offset < s.from+s.length {
		return s.original
	}
	return s.original + s.originalLength + offset - (s.from + s.length)
}

// literalError is a literal that is neither a number nor one with a unit.
type literalError struct {
	offset int // characters
	text   string
}

func (e *literalError) Error() string {
	return fmt.Sprintf("%q is not a number with a known unit", e.text)
}

// rewriteAssert turns literals with units into numbers: times to seconds (250ms to 0.25, 1m30s to
// 90), sizes to bytes (64k to 65536), n% to n/100. A percent sign is the remainder operator when an
// operand follows it. Names such as p99.9 and baseline.p95, which expr would read as a member of
// something, become p99_9 and baseline_p95. Strings and comments are left alone.
func rewriteAssert(rule string) (rewritten, error) {
	s := rewriter{in: rule}
	for s.at < len(rule) {
		if err := s.token(); err != nil {
			return rewritten{}, err
		}
	}
	return rewritten{text: s.out.String(), spans: s.spans}, nil
}

type rewriter struct {
	in       string
	at       int // byte offset in in
	out      strings.Builder
	inChars  int
	outChars int
	spans    []span
}

// token copies or replaces what begins at the present place.
func (s *rewriter) token() error {
	c := s.in[s.at]
	switch {
	case c == '"' || c == '\'' || c == '`':
		s.copy(stringEnd(s.in, s.at))
	case strings.HasPrefix(s.in[s.at:], "//"):
		s.copy(endOf(s.in, s.at, "\n"))
	case strings.HasPrefix(s.in[s.at:], "/*"):
		s.copy(endOf(s.in, s.at+2, "*/"))
	case isDigit(c) || c == '.' && s.at+1 < len(s.in) && isDigit(s.in[s.at+1]) && !s.afterOperand():
		return s.number()
	case nameLength(s.in[s.at:]) > 0:
		s.name()
	default:
		_, size := utf8.DecodeRuneInString(s.in[s.at:])
		s.copy(s.at + size)
	}
	return nil
}

// copy takes the input up to end as it is.
func (s *rewriter) copy(end int) {
	part := s.in[s.at:end]
	n := utf8.RuneCountInString(part)
	s.out.WriteString(part)
	s.at, s.inChars, s.outChars = end, s.inChars+n, s.outChars+n
}

// replace puts text in place of the input up to end.
func (s *rewriter) replace(end int, text string) {
	old, now := utf8.RuneCountInString(s.in[s.at:end]), utf8.RuneCountInString(text)
	s.spans = append(s.spans, span{from: s.outChars, length: now, original: s.inChars, originalLength: old})
	s.out.WriteString(text)
	s.at, s.inChars, s.outChars = end, s.inChars+old, s.outChars+now
}

// afterOperand tells whether a dot at the present place selects a member.
func (s *rewriter) afterOperand() bool {
	if s.at == 0 {
		return false
	}
	c := s.in[s.at-1]
	return isNameByte(c) || c == ')' || c == ']' || c == '}' || c == '.' || c == '?' || c == '"' || c == '\''
}

func (s *rewriter) number() error {
	rest := s.in[s.at:]
	if len(rest) > 1 && rest[0] == '0' && strings.IndexByte("xXbBoO", rest[1]) >= 0 {
		s.copy(s.at + nameLength(rest))
		return nil
	}
	plain := numberLength(rest)
	end := plain
	for end < len(rest) && isNameByte(rest[end]) { // a unit, or several parts as in 1m30s
		end += max(1, nameLength(rest[end:]))
		if end+1 < len(rest) && rest[end] == '.' && isDigit(rest[end+1]) {
			end++
		}
	}
	literal := strings.ReplaceAll(rest[:end], "_", "")
	if end > plain {
		value, ok := unitLiteral(literal)
		if !ok {
			return &literalError{offset: s.inChars, text: rest[:end]}
		}
		s.replace(s.at+end, value)
		return nil
	}
	if end < len(rest) && rest[end] == '%' && !operandFollows(rest[end+1:]) {
		share, err := strconv.ParseFloat(literal, 64)
		if err != nil {
			return &literalError{offset: s.inChars, text: rest[:end]}
		}
		s.replace(s.at+end+1, strconv.FormatFloat(share/100, 'f', -1, 64))
		return nil
	}
	s.copy(s.at + end)
	return nil
}

// unitLiteral gives a time in seconds or a size in bytes. What can be both (5m) is a time.
func unitLiteral(literal string) (string, bool) {
	if d, err := config.ParseDuration(literal); err == nil {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64), true
	}
	if n, err := config.ParseSize(literal); err == nil {
		return strconv.FormatInt(n, 10), true
	}
	return "", false
}

// name copies a name, with the dots that belong to our own ones as underscores.
func (s *rewriter) name() {
	end := s.at + nameLength(s.in[s.at:])
	word := s.in[s.at:end]
	joined := word
	if word == "baseline" && end+1 < len(s.in) && s.in[end] == '.' && isNameByte(s.in[end+1]) {
		next := end + 1 + nameLength(s.in[end+1:])
		joined, word, end = word+"_"+s.in[end+1:next], s.in[end+1:next], next
	}
	if isLevel(word) && end+1 < len(s.in) && s.in[end] == '.' && isDigit(s.in[end+1]) {
		next := end + 1
		for next < len(s.in) && isDigit(s.in[next]) {
			next++
		}
		joined, end = joined+"_"+s.in[end+1:next], next
	}
	if joined == s.in[s.at:end] {
		s.copy(end)
		return
	}
	s.replace(end, joined)
}

// operandFollows tells whether a value begins here, so that a percent sign before it is an operator.
func operandFollows(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	if rest == "" {
		return false
	}
	switch word := rest[:nameLength(rest)]; word {
	case "":
		return strings.IndexByte("(\"'`", rest[0]) >= 0
	case "and", "or", "not", "in", "matches", "contains", "startsWith", "endsWith":
		return false
	}
	return true
}

// numberLength is the length of a decimal literal: digits, a fraction, an exponent. The dots of a
// range (1..5) do not belong to it.
func numberLength(s string) int {
	n := digitsLength(s)
	if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
		n += 1 + digitsLength(s[n+1:])
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if digits := digitsLength(s[m:]); digits > 0 {
			return m + digits
		}
	}
	return n
}

func digitsLength(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n] == '_' && n > 0) {
		n++
	}
	return n
}

func nameLength(s string) int {
	for i, r := range s {
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}

func stringEnd(s string, at int) int {
	mark := s[at]
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && mark != '`':
			i++
		case s[i] == mark:
			return i + 1
		}
	}
	return len(s)
}

func endOf(s string, at int, mark string) int {
	if i := strings.Index(s[min(at, len(s)):], mark); i >= 0 {
		return at + i + len(mark)
	}
	return len(s)
}

// isLevel tells whether a word is p and digits.
func isLevel(word string) bool {
	return len(word) > 1 && word[0] == 'p' && strings.Trim(word[1:], "0123456789") == ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= utf8.RuneSelf || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
