package api

import "strings"

// tokenKind is the kind of a token of CQL2 text.
type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	stringToken
	numberToken
	signToken
	badToken // text says what is wrong
)

// lexer cuts CQL2 text into tokens; the fields describe the current one.
type lexer struct {
	source string
	start  int // of the current token
	at     int // behind it
	kind   tokenKind
	text   string
	quoted bool // a name in double quotes, which is never a keyword
}

func isNameByte(c byte, first bool) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 ||
		!first && (c >= '0' && c <= '9' || c == ':' || c == '.' || c == '-')
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// next moves on by one token.
func (l *lexer) next() {
	for l.at < len(l.source) && strings.IndexByte(" \t\r\n", l.source[l.at]) >= 0 {
		l.at++
	}
	l.start, l.text, l.quoted = l.at, "", false
	if l.at == len(l.source) {
		l.kind = endToken
		return
	}
	switch c := l.source[l.at]; {
	case isNameByte(c, true):
		l.kind = nameToken
		for l.at < len(l.source) && isNameByte(l.source[l.at], false) {
			l.at++
		}
		l.text = l.source[l.start:l.at]
	case c == '\'' || c == '"':
		l.quotedText(c)
	case isDigit(c), (c == '-' || c == '+' || c == '.') && l.at+1 < len(l.source) && (isDigit(l.source[l.at+1]) || l.source[l.at+1] == '.'):
		l.number()
	default:
		l.sign()
	}
}

// quotedText reads '…' or "…", in which the quote is doubled.
func (l *lexer) quotedText(quote byte) {
	var b strings.Builder
	for i := l.at + 1; i < len(l.source); i++ {
		if l.source[i] != quote {
			b.WriteByte(l.source[i])
			continue
		}
		if i+1 < len(l.source) && l.source[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		l.at, l.text, l.kind = i+1, b.String(), stringToken
		if quote == '"' {
			l.kind, l.quoted = nameToken, true
		}
		return
	}
	l.at, l.kind, l.text = len(l.source), badToken, "a quote is not closed"
}

func (l *lexer) number() {
	l.kind = numberToken
	l.at++
	for l.at < len(l.source) {
		c := l.source[l.at]
		exponentSign := (c == '-' || c == '+') && (l.source[l.at-1] == 'e' || l.source[l.at-1] == 'E')
		if !isDigit(c) && c != '.' && c != 'e' && c != 'E' && !exponentSign {
			break
		}
		l.at++
	}
	l.text = l.source[l.start:l.at]
}

func (l *lexer) sign() {
	l.kind = signToken
	for _, sign := range []string{"<>", "<=", ">=", "=", "<", ">", "(", ")", ","} {
		if strings.HasPrefix(l.source[l.at:], sign) {
			l.at += len(sign)
			l.text = sign
			return
		}
	}
	_, size := firstRune(l.source[l.at:])
	l.at += size
	l.kind, l.text = badToken, "unexpected "+l.source[l.start:l.at]
}

// balanced returns the raw text from behind the current token up to the bracket that closes the one
// around it, and makes that bracket the current token.
func (l *lexer) balanced() (string, bool) {
	depth, from := 0, l.at
	for i := from; i < len(l.source); i++ {
		switch l.source[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				l.at = i
				l.next()
				return l.source[from:i], true
			}
			depth--
		}
	}
	return "", false
}
