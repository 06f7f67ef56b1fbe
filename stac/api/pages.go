package api

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/tidwall/gjson"
)

func (x *exchange) collections() error {
	list, err := x.s.store.Collections(x.Context())
	if err != nil {
		return err
	}
	x.send(mediaJSON, func(dst []byte) []byte {
		dst = append(dst, `{"collections":[`...)
		for i, c := range list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.append(dst, x.base)
		}
		dst = append(dst, `],"links":[`...)
		dst = appendLink(dst, "self", mediaJSON, x.base, "/collections")
		dst = append(dst, ',')
		dst = appendLink(dst, "root", mediaJSON, x.base, "/")
		dst = append(dst, ',')
		dst = appendLink(dst, "parent", mediaJSON, x.base, "/")
		dst = append(dst, `],"numberMatched":`...)
		dst = strconv.AppendInt(dst, int64(len(list)), 10)
		dst = append(dst, `,"numberReturned":`...)
		dst = strconv.AppendInt(dst, int64(len(list)), 10)
		return append(dst, '}')
	})
	return nil
}

func (x *exchange) collection() error {
	c, err := x.s.store.Collection(x.Context(), x.path[1])
	if err != nil {
		return err
	}
	x.send(mediaJSON, func(dst []byte) []byte { return c.append(dst, x.base) })
	return nil
}

func (x *exchange) item() error {
	it, err := x.s.store.Item(x.Context(), x.path[1], x.path[3])
	if err != nil {
		return err
	}
	x.send(mediaGeoJSON, func(dst []byte) []byte { return it.append(dst, x.base) })
	return nil
}

// items lists a collection; it takes every parameter of a search but collections.
func (x *exchange) items() error {
	c, err := x.s.store.Collection(x.Context(), x.path[1])
	if err != nil {
		return err
	}
	return x.list(c.path+"/items", c)
}

func (x *exchange) searchGet() error { return x.list("/search", nil) }

// list answers the search in the query string; within a collection where one is given.
func (x *exchange) list(path string, within *Collection) error {
	query, fault := x.query()
	if fault != nil {
		return fault
	}
	s, fault := parseGet(query)
	if fault != nil {
		return fault
	}
	if within != nil {
		s.Collections = []string{within.ID}
	}
	page, err := x.s.store.Search(x.Context(), s)
	if err != nil {
		return err
	}
	x.send(mediaGeoJSON, func(dst []byte) []byte {
		dst = x.features(dst, s, &page)
		self := path
		if x.URL.RawQuery != "" {
			self += "?" + query.Encode()
		}
		dst = appendLink(dst, "self", mediaGeoJSON, x.base, self)
		dst = append(dst, ',')
		dst = appendLink(dst, "root", mediaJSON, x.base, "/")
		if within != nil {
			dst = append(dst, ',')
			dst = appendLink(dst, "parent", mediaJSON, x.base, within.path)
			dst = append(dst, ',')
			dst = appendLink(dst, "collection", mediaJSON, x.base, within.path)
		}
		dst = x.nextByGet(dst, path, query, s, &page)
		return append(dst, "]}"...)
	})
	return nil
}

func (x *exchange) searchPost() error {
	body, err := x.body()
	if err != nil {
		return err
	}
	s, fault := parsePost(body)
	if fault != nil {
		return fault
	}
	page, err := x.s.store.Search(x.Context(), s)
	if err != nil {
		return err
	}
	x.send(mediaGeoJSON, func(dst []byte) []byte {
		dst = x.features(dst, s, &page)
		dst = appendLink(dst, "self", mediaGeoJSON, x.base, "/search")
		dst = append(dst, ',')
		dst = appendLink(dst, "root", mediaJSON, x.base, "/")
		if page.More {
			dst = append(dst, `,{"rel":"next","type":"application/geo+json","method":"POST","href":"`...)
			dst = append(dst, x.base...)
			dst = append(dst, `/search","merge":false,"body":`...)
			dst = withToken(dst, body, page.next(s))
			dst = append(dst, '}')
		}
		return append(dst, "]}"...)
	})
	return nil
}

// query reads the query string, whose plus signs and semicolons may be anything but well formed.
func (x *exchange) query() (url.Values, *Error) {
	query, err := url.ParseQuery(x.URL.RawQuery)
	if err != nil {
		return nil, &Error{http.StatusBadRequest, "InvalidQueryParameter", "query string: " + err.Error()}
	}
	return query, nil
}

// features writes an item collection up to the first link.
func (x *exchange) features(dst []byte, s *Search, page *Page) []byte {
	dst = append(dst, `{"type":"FeatureCollection","features":[`...)
	for i, it := range page.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if s.fields != nil {
			dst = s.fields.append(dst, it, x.base)
		} else {
			dst = it.append(dst, x.base)
		}
	}
	dst = append(dst, ']')
	if page.Matched >= 0 {
		dst = append(dst, `,"numberMatched":`...)
		dst = strconv.AppendInt(dst, int64(page.Matched), 10)
	}
	dst = append(dst, `,"numberReturned":`...)
	dst = strconv.AppendInt(dst, int64(len(page.Items)), 10)
	return append(dst, `,"links":[`...)
}

func (x *exchange) nextByGet(dst []byte, path string, query url.Values, s *Search, page *Page) []byte {
	if !page.More {
		return dst
	}
	query.Set("token", page.next(s))
	dst = append(dst, `,{"rel":"next","type":"application/geo+json","method":"GET","href":"`...)
	dst = append(dst, x.base...)
	dst = append(dst, path...)
	dst = append(dst, '?')
	dst = append(dst, query.Encode()...)
	return append(dst, `"}`...)
}

// withToken writes the body of the next page's request: the one of this page with another token.
func withToken(dst, body []byte, token string) []byte {
	dst = append(dst, '{')
	gjson.ParseBytes(body).ForEach(func(key, value gjson.Result) bool {
		if key.String() != "token" {
			dst = append(dst, key.Raw...)
			dst = append(dst, ':')
			dst = append(dst, value.Raw...)
			dst = append(dst, ',')
		}
		return true
	})
	dst = append(dst, `"token":"`...)
	dst = append(dst, token...)
	return append(dst, `"}`...)
}
