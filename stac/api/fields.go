package api

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// fields is the fields extension: which members of an item are sent. Names are "member",
// "properties.name" or deeper "assets.key".
type fields struct{ include, exclude []string }

// defaultFields is what is sent with an empty include: the least valid item.
func defaultFields() []string {
	return []string{
		"type", "stac_version", "stac_extensions", "id", "geometry", "bbox", "links", "assets",
		"properties.datetime", "properties.start_datetime", "properties.end_datetime", "collection",
	}
}

// parseFieldsText reads the GET form, "id,-geometry,properties.datetime".
func parseFieldsText(s string) *fields {
	f := &fields{}
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		switch {
		case strings.HasPrefix(name, "-"):
			f.exclude = append(f.exclude, name[1:])
		case strings.TrimPrefix(name, "+") != "":
			f.include = append(f.include, strings.TrimPrefix(name, "+"))
		}
	}
	return f.complete(false)
}

// parseFieldsJSON reads {"include": […], "exclude": […]}.
func parseFieldsJSON(v gjson.Result) (*fields, *Error) {
	if !v.IsObject() {
		return nil, badParameter("fields %s is not an object", shorten(v.Raw))
	}
	list := func(key string) []string {
		var names []string
		for _, name := range v.Get(key).Array() {
			names = append(names, name.String())
		}
		return names
	}
	f := &fields{list("include"), list("exclude")}
	return f.complete(v.Get("include").Exists()), nil
}

// complete applies the defaults: nothing at all, or an include that was written but is empty, means the
// least valid item; only excluded names mean everything else. The members by which an item is known come
// along with whatever is included, so that clients can read what they get, unless they are excluded.
func (f *fields) complete(written bool) *fields {
	if len(f.include) == 0 && (written || len(f.exclude) == 0) {
		for _, name := range defaultFields() {
			if !slices.Contains(f.exclude, name) {
				f.include = append(f.include, name)
			}
		}
	}
	if len(f.include) > 0 {
		for _, name := range []string{"type", "stac_version", "id", "collection"} {
			if !slices.Contains(f.exclude, name) && !slices.Contains(f.include, name) {
				f.include = append(f.include, name)
			}
		}
	}
	return f
}

// state tells what to do with the member at a path.
type state uint8

const (
	drop    state = iota
	keep          // all of it
	descend       // some of it
)

func (f *fields) at(path string) state {
	if slices.Contains(f.include, path) {
		if hasPrefixed(f.exclude, path) {
			return descend
		}
		return keep
	}
	switch {
	case hasPrefixed(f.include, path):
		return descend
	case slices.Contains(f.exclude, path):
		return drop
	}
	// Whether an ancestor is included decides before this is called; here nothing names the path.
	if len(f.include) > 0 {
		return drop
	}
	if hasPrefixed(f.exclude, path) {
		return descend
	}
	return keep
}

// hasPrefixed reports whether a name lies below path.
func hasPrefixed(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, path+".") })
}

// append writes the chosen members of an item.
func (f *fields) append(dst []byte, it *Item, base string) []byte {
	full := it.append(nil, base)
	return f.object(dst, gjson.ParseBytes(full), "", false)
}

// object writes the chosen members of one object; inherited says that the object itself was included.
func (f *fields) object(dst []byte, object gjson.Result, path string, inherited bool) []byte {
	dst = append(dst, '{')
	first := true
	object.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if path != "" {
			name = path + "." + name
		}
		what := f.at(name)
		if what == drop && inherited && !slices.Contains(f.exclude, name) {
			what = keep
		}
		if what == descend && !value.IsObject() {
			what = keep
		}
		if what == drop {
			return true
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, key.Raw...)
		dst = append(dst, ':')
		if what == descend {
			dst = f.object(dst, value, name, inherited || slices.Contains(f.include, name))
		} else {
			dst = append(dst, value.Raw...)
		}
		return true
	})
	return append(dst, '}')
}
