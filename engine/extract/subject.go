package extract

import (
	"bytes"
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

// Subjects are the parts of an exchange that patterns may look at; "" is the body.
var Subjects = []string{
	"body", "headers", "http-code", "url", "message", "request-headers", "body-unescaped", "body-as-document",
	"response-headers", "code", "unescaped", "document", "response-message",
}

// Subject is a part of an exchange.
type Subject uint8

// The subjects.
const (
	Body Subject = iota
	Headers
	StatusCode
	URL
	Message
	RequestHeaders
	BodyUnescaped
	BodyDocument
)

// ParseSubject reads the name of a subject, in the spellings of all extractors.
func ParseSubject(name string) (Subject, bool) {
	switch strings.ToLower(name) {
	case "", "body":
		return Body, true
	case "headers", "response-headers":
		return Headers, true
	case "http-code", "code":
		return StatusCode, true
	case "url":
		return URL, true
	case "message", "response-message":
		return Message, true
	case "request-headers":
		return RequestHeaders, true
	case "body-unescaped", "unescaped":
		return BodyUnescaped, true
	case "body-as-document", "document":
		return BodyDocument, true
	}
	return Body, false
}

// NeedsBody reports whether the subject is read from the body.
func (s Subject) NeedsBody() bool { return s == Body || s == BodyUnescaped || s == BodyDocument }

// NeedsHead reports whether the subject is read from the head of the response.
func (s Subject) NeedsHead() bool { return s == Headers || s == Message }

// Of returns the bytes of a subject; they are valid until the response is reset.
func (s Subject) Of(r *Response) []byte {
	switch s {
	case Headers:
		_, lines := statusLine(r.Head)
		return lines
	case StatusCode:
		if r.Status >= 100 && r.Status < 1000 {
			return statusDigits[3*(r.Status-100) : 3*(r.Status-99)]
		}
		return strconv.AppendInt(nil, int64(r.Status), 10)
	case URL:
		return []byte(r.URL)
	case Message:
		line, _ := statusLine(r.Head)
		return reason(line)
	case RequestHeaders:
		_, lines := statusLine(r.RequestHead)
		return lines
	case BodyUnescaped:
		return []byte(html.UnescapeString(r.bodyText()))
	case BodyDocument:
		return documentText(r)
	}
	return r.Body
}

// statusDigits are the codes 100 to 999 one behind the other, so that a check of the status
// allocates nothing.
var statusDigits = func() (digits []byte) {
	for code := 100; code < 1000; code++ {
		digits = strconv.AppendInt(digits, int64(code), 10)
	}
	return digits
}()

// statusLine cuts the first line off a head.
func statusLine(head []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(head, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// reason returns the words behind the code of a status line.
func reason(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	_, words, _ := bytes.Cut(rest, []byte(" "))
	return words
}

// documentText is the text that a person sees in a page.
func documentText(r *Response) []byte {
	root, err := r.htmlTree()
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	for n := range root.Descendants() {
		if n.Type == nethtml.TextNode && !slices.Contains([]string{"script", "style"}, n.Parent.Data) {
			b.WriteString(n.Data)
		}
	}
	return b.Bytes()
}

// headerLines walks over the lines of a head, without its first line. Folded lines belong to the
// value before them.
func headerLines(head []byte) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		_, lines := statusLine(head)
		name, value := "", ""
		for line := range bytes.Lines(lines) {
			text := strings.TrimRight(string(line), "\r\n")
			if text != "" && (text[0] == ' ' || text[0] == '\t') {
				value += " " + strings.TrimSpace(text)
				continue
			}
			if name != "" && !yield(name, value) {
				return
			}
			before, after, ok := strings.Cut(text, ":")
			if !ok {
				name = ""
				continue
			}
			name, value = strings.TrimSpace(before), strings.TrimSpace(after)
		}
		if name != "" {
			yield(name, value)
		}
	}
}
