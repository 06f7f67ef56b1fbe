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

// member is one member of an object, in the order in which they were written.
type member struct {
	key string
	raw []byte // value
}

// members splits an object; the later of two equal keys wins, in the place of the first.
func members(text []byte, what string) ([]member, *Error) {
	if !json.Valid(text) {
		var v any
		return nil, badRequest("%s is not JSON: %v", what, json.Unmarshal(text, &v))
	}
	object := gjson.ParseBytes(text)
	if !object.IsObject() {
		return nil, badRequest("%s is not a JSON object", what)
	}
	var list []member
	at := map[string]int{}
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if i, seen := at[name]; seen {
			list[i].raw = []byte(value.Raw)
			return true
		}
		at[name] = len(list)
		list = append(list, member{name, []byte(value.Raw)})
		return true
	})
	return list, nil
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
	var d document
	var b bytes.Buffer
	b.WriteByte('{')
	writeLinks := func(raw []byte) *Error {
		b.WriteString(`"links":[`)
		d.links, d.bare = b.Len(), true
		links := gjson.ParseBytes(raw)
		if len(raw) > 0 && !links.IsArray() {
			return badRequest("links is not an array")
		}
		for _, link := range links.Array() {
			if ownRel(link.Get("rel").String()) {
				continue
			}
			if !d.bare {
				b.WriteByte(',')
			}
			if err := json.Compact(&b, []byte(link.Raw)); err != nil {
				return badRequest("links: %v", err)
			}
			d.bare = false
		}
		b.WriteByte(']')
		return nil
	}
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if m.key == "links" {
			if err := writeLinks(m.raw); err != nil {
				return d, err
			}
			continue
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return d, badRequest("member %q: %v", m.key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		if err := json.Compact(&b, m.raw); err != nil {
			return d, badRequest("member %q: %v", m.key, err)
		}
	}
	if d.links == 0 {
		if len(list) > 0 {
			b.WriteByte(',')
		}
		if err := writeLinks(nil); err != nil {
			return d, err
		}
	}
	b.WriteByte('}')
	d.text = bytes.Clone(b.Bytes())
	return d, nil
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
