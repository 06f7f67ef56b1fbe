package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/tidwall/gjson"
)

// document is a JSON object whose `links` the server completes when it writes it: text is compact, and
// the server's own links go in at offset links, right after the opening bracket.
type document struct {
	text  []byte
	links int
	bare  bool // no links of the document's own follow
}

// member is one member of an object, in the order in which they were written; raw is compact.
type member struct {
	key string
	raw string
}

// members splits an object; the later of two equal keys wins, in the place of the first.
func members(text []byte, what string) ([]member, *Error) {
	var compact bytes.Buffer
	compact.Grow(len(text))
	if err := json.Compact(&compact, text); err != nil {
		return nil, badRequest("%s is not JSON: %v", what, err)
	}
	object := gjson.Parse(compact.String())
	if !object.IsObject() {
		return nil, badRequest("%s is not a JSON object", what)
	}
	var list []member
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		for i := range list {
			if list[i].key == name {
				list[i].raw = value.Raw
				return true
			}
		}
		list = append(list, member{name, value.Raw})
		return true
	})
	return list, nil
}

// raw returns the value of a member, "" when it is not there.
func raw(list []member, key string) string {
	for i := range list {
		if list[i].key == key {
			return list[i].raw
		}
	}
	return ""
}

// ownRel tells which links the server makes itself; those of a posted document are dropped.
func ownRel(rel string) bool {
	switch rel {
	case "self", "root", "parent", "collection", "items", "queryables", "sortables",
		relQueryables, relSortables:
		return true
	}
	return false
}

// assemble writes members as a document. Links that the server makes itself are left out; a document
// without links gets an empty list at its end.
func assemble(list []member) (document, *Error) {
	size := len(`,"links":[]}`)
	for _, m := range list {
		size += len(m.key) + len(m.raw) + len(`"":,`)
	}
	d := document{text: make([]byte, 1, size)}
	d.text[0] = '{'
	for i, m := range list {
		if i > 0 {
			d.text = append(d.text, ',')
		}
		if m.key == "links" {
			if err := d.addLinks(m.raw); err != nil {
				return d, err
			}
			continue
		}
		d.text = append(append(d.text, quoted(m.key)...), ':')
		d.text = append(d.text, m.raw...)
	}
	if d.links == 0 {
		if len(list) > 0 {
			d.text = append(d.text, ',')
		}
		if err := d.addLinks("[]"); err != nil {
			return d, err
		}
	}
	d.text = append(d.text, '}')
	if cap(d.text) > len(d.text)+len(d.text)/8 { // it is kept for long
		d.text = bytes.Clone(d.text)
	}
	return d, nil
}

func (d *document) addLinks(raw string) *Error {
	links := gjson.Parse(raw)
	if !links.IsArray() {
		return badRequest("links is not an array")
	}
	d.text = append(d.text, `"links":[`...)
	d.links, d.bare = len(d.text), true
	for _, link := range links.Array() {
		if ownRel(link.Get("rel").String()) {
			continue
		}
		if !d.bare {
			d.text = append(d.text, ',')
		}
		d.text = append(d.text, link.Raw...)
		d.bare = false
	}
	d.text = append(d.text, ']')
	return nil
}

// append writes the document with the given links, which are appended by add.
func (d document) append(dst []byte, add func([]byte) []byte) []byte {
	dst = append(dst, d.text[:d.links]...)
	dst = add(dst)
	if !d.bare {
		dst = append(dst, ',')
	}
	return append(dst, d.text[d.links:]...)
}

// appendLink appends {"rel":…,"type":…,"href":base+path}; base and path need no escaping.
func appendLink(dst []byte, rel, media, base, path string) []byte {
	dst = append(dst, `{"rel":"`...)
	dst = append(dst, rel...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, media...)
	dst = append(dst, `","href":"`...)
	dst = append(dst, base...)
	dst = append(dst, path...)
	return append(dst, `"}`...)
}

// collectionPath and itemPath give URL paths that are safe inside a JSON string.
func collectionPath(collection string) string { return "/collections/" + url.PathEscape(collection) }

func itemPath(collection, id string) string {
	return collectionPath(collection) + "/items/" + url.PathEscape(id)
}

// quoted returns a string in JSON.
func quoted(s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return strconv.AppendQuote(nil, s) // cannot happen: any string can be marshalled
	}
	return text
}
