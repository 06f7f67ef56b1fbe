package api

import (
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/tidwall/gjson"
)

// parseGet reads the parameters of a GET search.
func parseGet(q url.Values) (*Search, *Error) {
	s := newSearch()
	var err *Error
	if v := q.Get("limit"); v != "" {
		if s.Limit, err = parseLimit(v); err != nil {
			return nil, err
		}
	}
	s.Collections = splitList(q.Get("collections"))
	s.IDs = splitList(q.Get("ids"))
	if v := q.Get("bbox"); v != "" {
		if err := s.setBox(parseBoxText(v)); err != nil {
			return nil, err
		}
	}
	if v := q.Get("intersects"); v != "" {
		if err := s.setIntersects(v); err != nil {
			return nil, err
		}
	}
	if q.Has("datetime") {
		if err := s.setTime(q.Get("datetime")); err != nil {
			return nil, err
		}
	}
	if v := q.Get("query"); v != "" {
		if err := s.addFilter(parseQuery(v)); err != nil {
			return nil, err
		}
	}
	if v := q.Get("filter"); v != "" {
		if err := s.setFilter(v, q.Get("filter-lang"), q.Get("filter-crs"), "cql2-text"); err != nil {
			return nil, err
		}
	}
	if v := q.Get("sortby"); v != "" {
		keys, err := parseSortText(v)
		if err != nil {
			return nil, err
		}
		s.setOrder(keys)
	}
	if q.Has("fields") {
		s.fields = parseFieldsText(q.Get("fields"))
	}
	if v := q.Get("token"); v != "" {
		if s.after, err = parseToken(v, s.order); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// parsePost reads the body of a POST search. Unknown members are ignored, as the specification asks.
func parsePost(body []byte) (*Search, *Error) {
	if len(body) == 0 {
		return newSearch(), nil
	}
	root := gjson.ParseBytes(body)
	if !gjson.ValidBytes(body) || !root.IsObject() {
		return nil, badRequest("the body is not a JSON object")
	}
	s := newSearch()
	get := func(key string) (gjson.Result, bool) {
		v := root.Get(key)
		return v, v.Exists() && v.Type != gjson.Null
	}
	var err *Error
	if v, ok := get("limit"); ok {
		if v.Type != gjson.Number {
			return nil, badParameter("limit %s is not a number", shorten(v.Raw))
		}
		if s.Limit, err = parseLimit(v.Raw); err != nil {
			return nil, err
		}
	}
	for key, list := range map[string]*[]string{"collections": &s.Collections, "ids": &s.IDs} {
		if v, ok := get(key); ok {
			if v.Type == gjson.String { // one id without brackets: some clients do so
				*list = []string{v.Str}
			} else if json.Unmarshal([]byte(v.Raw), list) != nil {
				return nil, badParameter("%s is not an array of strings", key)
			}
		}
	}
	if v, ok := get("bbox"); ok {
		var numbers []float64
		if json.Unmarshal([]byte(v.Raw), &numbers) != nil {
			return nil, badParameter("bbox %s is not an array of numbers", shorten(v.Raw))
		}
		if err := s.setBox(geo.ParseBox(numbers)); err != nil {
			return nil, err
		}
	}
	if v, ok := get("intersects"); ok {
		if err := s.setIntersects(v.Raw); err != nil {
			return nil, err
		}
	}
	if v, ok := get("datetime"); ok {
		if v.Type != gjson.String {
			return nil, badParameter("datetime %s is not a string", shorten(v.Raw))
		}
		if err := s.setTime(v.Str); err != nil {
			return nil, err
		}
	}
	if v, ok := get("query"); ok {
		if err := s.addFilter(parseQuery(v.Raw)); err != nil {
			return nil, err
		}
	}
	if v, ok := get("filter"); ok {
		source := v.Raw
		if v.Type == gjson.String {
			source = v.Str
		}
		if err := s.setFilter(source, root.Get("filter-lang").String(), root.Get("filter-crs").String(), "cql2-json"); err != nil {
			return nil, err
		}
	}
	if v, ok := get("sortby"); ok {
		keys, err := parseSortJSON(v)
		if err != nil {
			return nil, err
		}
		s.setOrder(keys)
	}
	if v := root.Get("fields"); v.Exists() { // null is refused, unlike elsewhere
		if s.fields, err = parseFieldsJSON(v); err != nil {
			return nil, err
		}
	}
	if v, ok := get("token"); ok {
		if s.after, err = parseToken(v.String(), s.order); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func parseLimit(v string) (int, *Error) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n != math.Trunc(n) || n < 1 {
		return 0, badParameter("limit %q is not a whole number above 0", v)
	}
	return int(min(n, MaxLimit)), nil
}

func splitList(v string) []string {
	if v == "" {
		return nil
	}
	return strings.Split(v, ",")
}

func parseBoxText(v string) (geo.Box, error) {
	var numbers []float64
	for part := range strings.SplitSeq(v, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return geo.Box{}, badParameter("bbox: %q is not a number", part)
		}
		numbers = append(numbers, n)
	}
	return geo.ParseBox(numbers)
}

func (s *Search) setBox(b geo.Box, err error) *Error {
	if err != nil {
		return badParameter("%v", err)
	}
	if s.area != nil {
		return badParameter("bbox and intersects exclude each other")
	}
	shape := geo.BoxGeometry(b)
	s.Box, s.area = &b, &shape
	return nil
}

func (s *Search) setIntersects(source string) *Error {
	if s.area != nil {
		return badParameter("bbox and intersects exclude each other")
	}
	shape, err := geo.ParseGeoJSON([]byte(source))
	if err != nil {
		return badParameter("intersects: %v", err)
	}
	s.area = &shape
	return nil
}

func (s *Search) setTime(v string) *Error {
	span, err := ParseDatetime(v)
	if err != nil {
		return asError(err)
	}
	s.Time = &span
	return nil
}

func (s *Search) setOrder(keys []sortKey) {
	s.order, s.standard = newOrder(keys), len(keys) == 0
}

// addFilter joins one more condition to those there are.
func (s *Search) addFilter(c condition, err *Error) *Error {
	switch {
	case err != nil:
		return err
	case s.filter == nil:
		s.filter = c
	default:
		s.filter = and{s.filter, c}
	}
	return nil
}

func (s *Search) setFilter(source, lang, crs, usual string) *Error {
	if lang == "" {
		lang = usual
		if usual == "cql2-text" && strings.HasPrefix(strings.TrimSpace(source), "{") {
			lang = "cql2-json"
		}
	}
	if crs != "" && crs != "http://www.opengis.net/def/crs/OGC/1.3/CRS84" {
		return badParameter("filter-crs %q is not supported, only CRS84", crs)
	}
	switch lang {
	case "cql2-text":
		return s.addFilter(parseFilterText(source))
	case "cql2-json":
		return s.addFilter(parseFilterJSON(source))
	}
	return badParameter("filter-lang %q is neither cql2-text nor cql2-json", lang)
}

// parseSortJSON reads [{"field": …, "direction": "asc"|"desc"}].
func parseSortJSON(v gjson.Result) ([]sortKey, *Error) {
	if !v.IsArray() {
		return nil, badParameter("sortby %s is not an array", shorten(v.Raw))
	}
	var keys []sortKey
	for _, entry := range v.Array() {
		field, direction := entry.Get("field"), entry.Get("direction")
		if field.Type != gjson.String {
			return nil, badParameter("sortby: %s has no field", shorten(entry.Raw))
		}
		p, err := parseSortField(field.Str)
		if err != nil {
			return nil, err
		}
		switch direction.String() {
		case "asc", "":
			keys = append(keys, sortKey{p, false})
		case "desc":
			keys = append(keys, sortKey{p, true})
		default:
			return nil, badParameter("sortby: direction %s is neither asc nor desc", shorten(direction.Raw))
		}
	}
	return keys, nil
}
