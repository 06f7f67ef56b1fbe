package api

import "github.com/tidwall/gjson"

// Collection is one stored STAC Collection. It is immutable.
type Collection struct {
	ID   string
	doc  document
	path string
}

// Text returns the collection as compact JSON, less the links that the server makes.
func (c *Collection) Text() []byte { return c.doc.text }

// ParseCollection checks a Collection document; the error is an [Error] with status 400.
func ParseCollection(text []byte) (*Collection, error) {
	list, fault := members(text, "collection")
	if fault != nil {
		return nil, fault
	}
	for _, key := range []string{"type", "stac_version", "id", "description", "license", "extent"} {
		if raw(list, key) == "" {
			return nil, badRequest("collection lacks the member %q", key)
		}
	}
	if kind := gjson.Parse(raw(list, "type")).String(); kind != "Collection" {
		return nil, badRequest("collection has the type %q, not \"Collection\"", kind)
	}
	extent := gjson.Parse(raw(list, "extent"))
	if !extent.Get("spatial.bbox.0").IsArray() || !extent.Get("temporal.interval.0").IsArray() {
		return nil, badRequest("collection extent lacks spatial.bbox or temporal.interval")
	}
	c := &Collection{}
	var err error
	if c.ID, err = parseID(raw(list, "id"), "collection"); err != nil {
		return nil, err
	}
	if c.doc, fault = assemble(list); fault != nil {
		return nil, fault
	}
	c.path = collectionPath(c.ID)
	return c, nil
}

// append writes the collection with the server's links.
func (c *Collection) append(dst []byte, base string) []byte {
	return c.doc.append(dst, func(dst []byte) []byte {
		dst = appendLink(dst, "self", mediaJSON, base, c.path)
		dst = append(dst, ',')
		dst = appendLink(dst, "root", mediaJSON, base, "/")
		dst = append(dst, ',')
		dst = appendLink(dst, "parent", mediaJSON, base, "/")
		dst = append(dst, ',')
		dst = appendLink(dst, "items", mediaGeoJSON, base, c.path+"/items")
		dst = append(dst, ',')
		dst = appendLink(dst, relQueryables, mediaSchema, base, c.path+"/queryables")
		dst = append(dst, ',')
		return appendLink(dst, relSortables, mediaSchema, base, c.path+"/sortables")
	})
}
