package api

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/tidwall/gjson"
)

// Media types of answers.
const (
	mediaJSON    = "application/json"
	mediaGeoJSON = "application/geo+json"
	mediaSchema  = "application/schema+json"
)

// Item is one stored STAC Item, checked, encoded and indexed. It is immutable.
type Item struct {
	ID, Collection string
	Geometry       geo.Geometry // empty for a null geometry
	Box            geo.Box      // of the bbox member, or of the geometry; meaningless without geometry
	Datetime       int64        // of the properties, else their start_datetime; Unix ns
	Start, End     int64        // the span that the item covers; equal for an instant
	Properties     map[string]any
	doc            document
	parent, path   string // URL paths of the collection and of the item
}

// HasGeometry reports whether the item lies anywhere.
func (it *Item) HasGeometry() bool { return !it.Geometry.Empty() }

// Text returns the item as compact JSON with the links it was posted with, less those that the server makes.
func (it *Item) Text() []byte { return it.doc.text }

// ParseItem checks an Item and prepares it for a collection; a `collection` member that names another
// one is refused. A missing bbox is made from the geometry. The error is an [Error] with status 400.
func ParseItem(text []byte, collection string) (*Item, error) {
	list, fault := members(text, "item")
	if fault != nil {
		return nil, fault
	}
	it := &Item{Collection: collection}
	own := string(quoted(collection))
	if named := raw(list, "collection"); named == "" {
		list = append(list, member{"collection", own})
	} else {
		if v := gjson.Parse(named); v.Type != gjson.Null && v.String() != collection {
			return nil, badRequest("item belongs to collection %q, not %q", v.String(), collection)
		}
		for i := range list {
			if list[i].key == "collection" {
				list[i].raw = own
			}
		}
	}
	for _, key := range []string{"type", "stac_version", "id", "geometry", "properties", "assets"} {
		if raw(list, key) == "" {
			return nil, badRequest("item lacks the member %q", key)
		}
	}
	if kind := gjson.Parse(raw(list, "type")).String(); kind != "Feature" {
		return nil, badRequest("item has the type %q, not \"Feature\"", kind)
	}
	if raw(list, "assets")[0] != '{' {
		return nil, badRequest("assets is not an object")
	}
	var err error
	if it.ID, err = parseID(raw(list, "id"), "item"); err != nil {
		return nil, err
	}
	if err := it.readProperties(raw(list, "properties")); err != nil {
		return nil, err
	}
	if err := it.readGeometry(raw(list, "geometry"), raw(list, "bbox")); err != nil {
		return nil, err
	}
	if raw(list, "bbox") == "" && it.HasGeometry() {
		list = append(list, member{"bbox", string(it.Box.AppendJSON(nil))})
	}
	if it.doc, fault = assemble(list); fault != nil {
		return nil, fault
	}
	it.path = itemPath(collection, it.ID)
	it.parent = it.path[:len(it.path)-len("/items/")-len(url.PathEscape(it.ID))]
	return it, nil
}

func parseID(raw, what string) (string, error) {
	id := gjson.Parse(raw)
	if id.Type != gjson.String || id.Str == "" {
		return "", badRequest("%s id %s is not a string with characters", what, raw)
	}
	return strings.Clone(id.Str), nil // the document it was cut from is not to be kept alive
}

func (it *Item) readGeometry(geometry, bbox string) error {
	if geometry == "null" {
		return nil
	}
	g, err := geo.ParseGeoJSON([]byte(geometry))
	if err != nil {
		return badRequest("item %q: %v", it.ID, err)
	}
	it.Geometry, it.Box = g, g.Box()
	if bbox == "" {
		return nil
	}
	var numbers []float64
	if err := json.Unmarshal([]byte(bbox), &numbers); err != nil {
		return badRequest("item %q: bbox is not an array of numbers", it.ID)
	}
	if it.Box, err = geo.ParseBox(numbers); err != nil {
		return badRequest("item %q: %v", it.ID, err)
	}
	return nil
}

func (it *Item) readProperties(raw string) error {
	if err := json.Unmarshal([]byte(raw), &it.Properties); err != nil || it.Properties == nil {
		return badRequest("item %q: properties is not an object", it.ID)
	}
	instant := func(key string) (at int64, given bool, err error) {
		switch v := it.Properties[key].(type) {
		case nil:
			return 0, false, nil
		case string:
			at, err = parseInstant(v)
			if err != nil {
				return 0, false, badRequest("item %q: %s %q is not RFC 3339", it.ID, key, v)
			}
			return at, true, nil
		}
		return 0, false, badRequest("item %q: %s is not a string", it.ID, key)
	}
	if _, given := it.Properties["datetime"]; !given {
		return badRequest("item %q: properties lack \"datetime\"", it.ID)
	}
	at, single, err := instant("datetime")
	if err != nil {
		return err
	}
	from, hasFrom, err := instant("start_datetime")
	if err != nil {
		return err
	}
	to, hasTo, err := instant("end_datetime")
	if err != nil {
		return err
	}
	switch {
	case hasFrom != hasTo, !single && !hasFrom:
		return badRequest("item %q: without a datetime both start_datetime and end_datetime are needed", it.ID)
	case hasFrom && from > to:
		return badRequest("item %q: end_datetime is before start_datetime", it.ID)
	}
	if !hasFrom {
		from, to = at, at
	}
	if !single {
		at = from
	}
	it.Datetime, it.Start, it.End = at, from, to
	return nil
}

// append writes the item with the server's links.
func (it *Item) append(dst []byte, base string) []byte {
	return it.doc.append(dst, func(dst []byte) []byte { return it.appendLinks(dst, base) })
}

func (it *Item) appendLinks(dst []byte, base string) []byte {
	dst = appendLink(dst, "self", mediaGeoJSON, base, it.path)
	dst = append(dst, ',')
	dst = appendLink(dst, "root", mediaJSON, base, "/")
	dst = append(dst, ',')
	dst = appendLink(dst, "parent", mediaJSON, base, it.parent)
	dst = append(dst, ',')
	return appendLink(dst, "collection", mediaJSON, base, it.parent)
}
