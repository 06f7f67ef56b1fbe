package engine

import (
	"encoding/json"
	"strings"

	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/engine/wire"
)

// view is the response that is being judged, as extractors, checks and expressions see it.
type view struct {
	extract.Response
	tree    any // decoded for expressions, once per response
	treeErr error
	decoded bool
}

var _ template.Response = (*view)(nil)

// reset forgets the response.
func (v *view) reset() {
	v.Response.Reset()
	v.tree, v.treeErr, v.decoded = nil, nil, false
}

// StatusCode is the status of the response.
func (v *view) StatusCode() int { return v.Status }

// BodyText is a copy of the decoded body.
func (v *view) BodyText() string { return string(v.Body) }

// HeaderValues are the headers by lower-case name; repeated ones are joined by ", ".
func (v *view) HeaderValues() map[string]any {
	all := map[string]any{}
	for name, value := range wire.Headers(v.Head) {
		key := strings.ToLower(string(name))
		if before, ok := all[key].(string); ok {
			all[key] = before + ", " + string(value)
		} else {
			all[key] = string(value)
		}
	}
	return all
}

// JSON decodes the body; whole numbers are int, others float64.
func (v *view) JSON() (any, error) {
	if !v.decoded {
		v.decoded = true
		d := json.NewDecoder(strings.NewReader(v.BodyText()))
		d.UseNumber()
		if v.treeErr = d.Decode(&v.tree); v.treeErr == nil {
			v.tree = plainNumbers(v.tree)
		}
	}
	return v.tree, v.treeErr
}

func plainNumbers(tree any) any {
	switch t := tree.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return int(n)
		}
		f, _ := t.Float64() // the decoder has checked its form
		return f
	case []any:
		for i := range t {
			t[i] = plainNumbers(t[i])
		}
	case map[string]any:
		for k := range t {
			t[k] = plainNumbers(t[k])
		}
	}
	return tree
}
