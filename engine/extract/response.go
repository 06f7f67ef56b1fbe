package extract

import (
	"encoding/json"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/net/html"

	"github.com/antchfx/xmlquery"
)

// Response is one received response, as extractors and checks see it. The byte slices belong to
// the engine and are only valid until the next Reset. It is not safe for concurrent use.
type Response struct {
	Status      int
	Head        []byte // status line and header lines as received
	Body        []byte // after content decoding
	URL         string // of the request that was answered last
	RequestHead []byte // request line and header lines as sent

	json    decoded[any]
	plain   decoded[any]
	html    decoded[*html.Node]
	xml     decoded[*xmlquery.Node]
	members members // of a JSON object that was scanned
}

// decoded is a tree that is made at most once per response.
type decoded[T any] struct {
	done bool
	tree T
	err  error
}

func (d *decoded[T]) get(decode func() (T, error)) (T, error) {
	if !d.done {
		d.done = true
		d.tree, d.err = decode()
	}
	return d.tree, d.err
}

// Reset empties the response for the next exchange.
func (r *Response) Reset() { *r = Response{} }

// StatusCode returns the status.
func (r *Response) StatusCode() int { return r.Status }

// BodyText returns a copy of the body.
func (r *Response) BodyText() string { return string(r.Body) }

// HeaderValues returns the headers by lower-case name; the values of repeated ones are joined by ", ".
func (r *Response) HeaderValues() map[string]any {
	headers := map[string]any{}
	for name, value := range headerLines(r.Head) {
		key := strings.ToLower(name)
		if before, ok := headers[key].(string); ok {
			value = before + ", " + value
		}
		headers[key] = value
	}
	return headers
}

// JSON returns the decoded body as expressions see it: whole numbers are int, others float64.
func (r *Response) JSON() (any, error) {
	return r.plain.get(func() (any, error) {
		tree, err := r.exactJSON()
		return plainNumbers(tree), err
	})
}

// exactJSON returns the decoded body with numbers as they were written.
func (r *Response) exactJSON() (any, error) {
	return r.json.get(func() (any, error) { return decodeExact(r.Body) })
}

// plainNumbers copies a tree with every json.Number turned into a number.
func plainNumbers(tree any) any {
	switch v := tree.(type) {
	case json.Number:
		if n, err := strconv.Atoi(string(v)); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plainNumbers(v[i])
		}
		return list
	case map[string]any:
		mapping := make(map[string]any, len(v))
		for key, value := range v {
			mapping[key] = plainNumbers(value)
		}
		return mapping
	}
	return tree
}

// bodyText is the body as a string without a copy; what is kept of it must be cloned.
func (r *Response) bodyText() string { return textOf(r.Body) }

func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// shorten cuts a text for a message.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
