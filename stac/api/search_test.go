package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/stac/api"
)

// Each row is asked by GET and by POST and must give the same items.
func TestSearchParameters(t *testing.T) {
	tests := []struct {
		name  string
		query url.Values
		want  []int // numbers of items, in any order
	}{
		{"box", url.Values{"bbox": {"3.5,0.2,5.5,0.4"}}, []int{3, 4, 5}},
		{"box with elevations", url.Values{"bbox": {"3.5,0.2,-5,5.5,0.4,5"}}, []int{3, 4, 5}},
		{"box that touches a corner", url.Values{"bbox": {"3.9,1,3.95,2"}}, []int{3}},
		{"point box", url.Values{"bbox": {"7.5,0.5,7.5,0.5"}}, []int{7}},
		{"box across the antimeridian", url.Values{"bbox": {"38.5,0,1.5,1"}}, []int{0, 1, 38, 39}},
		{"box between items", url.Values{"bbox": {"3.92,0,3.98,1"}}, []int{}},
		{"point", url.Values{"intersects": {`{"type":"Point","coordinates":[9.5,0.5]}`}}, []int{9}},
		{"line", url.Values{"intersects": {`{"type":"LineString","coordinates":[[9.5,-1],[9.5,0.5],[11.5,0.5]]}`}}, []int{9, 10, 11}},
		{"triangle that misses by its slanted side", url.Values{"intersects": {`{"type":"Polygon","coordinates":[[[20,0],[23,0],[20,-3],[20,0]]]}`}}, []int{20, 21, 22, 23}},
		{"collection of geometries", url.Values{"intersects": {`{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[9.5,0.5]},{"type":"Point","coordinates":[1.5,0.5]}]}`}}, []int{1, 9}},
		{"instant", url.Values{"datetime": {"2023-06-01T05:00:00Z"}}, []int{5}},
		{"instant with an offset", url.Values{"datetime": {"2023-06-01T07:00:00+02:00"}}, []int{5}},
		{"interval is closed", url.Values{"datetime": {"2023-06-01T05:00:00Z/2023-06-01T07:00:00Z"}}, []int{5, 6, 7}},
		{"open start", url.Values{"datetime": {"../2023-06-01T01:30:00Z"}}, []int{0, 1}},
		{"open end", url.Values{"datetime": {"2023-06-02T14:00:00Z/"}}, []int{38, 39}},
		{"ids", url.Values{"ids": {"item-003,item-030,nobody"}}, []int{3, 30}},
		{"ids and box", url.Values{"ids": {"item-003,item-030"}, "bbox": {"0,0,10,1"}}, []int{3}},
		{"unknown collection", url.Values{"collections": {"nobody"}}, []int{}},
		{"query", url.Values{"query": {`{"n":{"gte":37}}`}}, []int{37, 38, 39}},
		{"filter", url.Values{"filter": {`{"op":"and","args":[{"op":"<","args":[{"property":"n"},4]},{"op":"=","args":[{"property":"platform"},"a"]}]}`}, "filter-lang": {"cql2-json"}}, []int{0, 2}},
		{"filter, query, time and box", url.Values{"filter": {`{"op":"<","args":[{"property":"n"},9]}`}, "filter-lang": {"cql2-json"}, "query": {`{"platform":{"eq":"b"}}`}, "datetime": {"2023-06-01T02:00:00Z/.."}, "bbox": {"0,0,6.5,1"}}, []int{3, 5}},
	}
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.fill("c", 40)
		for _, tt := range tests {
			want := []string{}
			for _, n := range tt.want {
				want = append(want, fmt.Sprintf("item-%03d", n))
			}
			query := url.Values{"limit": {"100"}}
			for k, v := range tt.query {
				query[k] = v
			}
			byGet := c.want(200, "GET", "/search?"+query.Encode(), nil)
			byPost := c.want(200, "POST", "/search", asBody(t, query))
			byItems := byGet
			if query.Get("collections") == "" {
				byItems = c.want(200, "GET", "/collections/c/items?"+query.Encode(), nil)
			}
			for way, a := range map[string]answer{"GET": byGet, "POST": byPost, "items": byItems} {
				got := a.ids()
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s by %s: %s", tt.name, way, diff)
				}
				if a.json["numberMatched"] != float64(len(want)) || a.json["numberReturned"] != float64(len(want)) {
					t.Errorf("%s by %s: counts %v and %v", tt.name, way, a.json["numberMatched"], a.json["numberReturned"])
				}
				if got := a.header.Get("Content-Type"); got != "application/geo+json" {
					t.Errorf("%s: content type %s", tt.name, got)
				}
			}
		}
	})
}

// asBody turns GET parameters into the body that means the same.
func asBody(t *testing.T, query url.Values) map[string]any {
	t.Helper()
	body := map[string]any{}
	for key, values := range query {
		v := values[0]
		switch key {
		case "limit", "intersects", "query", "filter":
			body[key] = json.RawMessage(v)
		case "bbox":
			body[key] = json.RawMessage("[" + v + "]")
		case "ids", "collections":
			body[key] = strings.Split(v, ",")
		default:
			body[key] = v
		}
	}
	return body
}

func TestPagingVisitsEveryItemOnceInOrder(t *testing.T) {
	orders := map[string]struct {
		sortby string
		less   func(a, b map[string]any) bool // must hold or be equal for neighbours; nil: not checked
	}{
		"default":               {"", func(a, b map[string]any) bool { return a["datetime"].(string) >= b["datetime"].(string) }},
		"datetime ascending":    {"datetime", func(a, b map[string]any) bool { return a["datetime"].(string) <= b["datetime"].(string) }},
		"by id":                 {"+id", func(a, b map[string]any) bool { return a["n"].(float64) <= b["n"].(float64) }},
		"with nulls":            {"-properties.eo:cloud_cover", cloudsFallNullsLast},
		"unknown property":      {"nothing", nil},
		"several keys":          {"-platform,n", func(a, b map[string]any) bool { return a["platform"].(string) >= b["platform"].(string) }},
		"collection and clouds": {"collection,eo:cloud_cover", nil},
	}
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.fill("one", 47)
		c.fill("two", 23)
		for name, order := range orders {
			for _, method := range []string{"GET", "POST"} {
				for _, limit := range []int{1, 7, 70} {
					seen := map[string]bool{}
					var last map[string]any
					pages := 0
					for page := firstPage(c, method, order.sortby, limit); ; page = follow(c, page) {
						pages++
						for _, f := range page.json["features"].([]any) {
							f := f.(map[string]any)
							key := fmt.Sprint(f["collection"], "/", f["id"])
							if seen[key] {
								t.Fatalf("%s by %s, limit %d: %s twice", name, method, limit, key)
							}
							seen[key] = true
							properties := f["properties"].(map[string]any)
							if last != nil && order.less != nil && !order.less(last, properties) {
								t.Fatalf("%s by %s, limit %d: %v before %v", name, method, limit, last, properties)
							}
							last = properties
						}
						if page.link("next") == nil {
							break
						}
					}
					if len(seen) != 70 || pages != (70+limit-1)/limit {
						t.Errorf("%s by %s, limit %d: %d items in %d pages", name, method, limit, len(seen), pages)
					}
				}
			}
		}
	})
}

func cloudsFallNullsLast(a, b map[string]any) bool {
	x, hasX := a["eo:cloud_cover"].(float64)
	y, hasY := b["eo:cloud_cover"].(float64)
	return !hasY || hasX && x >= y
}

func firstPage(c client, method, sortby string, limit int) answer {
	c.Helper()
	if method == "GET" {
		q := url.Values{"limit": {strconv.Itoa(limit)}}
		if sortby != "" {
			q.Set("sortby", sortby)
		}
		return c.want(200, "GET", "/search?"+q.Encode(), nil)
	}
	body := map[string]any{"limit": limit}
	var keys []any
	for field := range strings.SplitSeq(sortby, ",") {
		if field == "" {
			continue
		}
		direction := "asc"
		if strings.HasPrefix(field, "-") {
			direction = "desc"
		}
		keys = append(keys, map[string]any{"field": strings.TrimLeft(field, "+-"), "direction": direction})
	}
	if keys != nil {
		body["sortby"] = keys
	}
	return c.want(200, "POST", "/search", body)
}

// follow goes to the next page as a client does.
func follow(c client, page answer) answer {
	c.Helper()
	next := page.link("next")
	href, _ := next["href"].(string)
	path, ok := strings.CutPrefix(href, c.base)
	if !ok {
		c.Fatalf("next leads to %q", href)
	}
	if next["method"] == "POST" {
		return c.want(200, "POST", path, next["body"])
	}
	return c.want(200, "GET", path, nil)
}

func TestPagingWhileItemsComeAndGo(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.fill("c", 30)
		page := c.get("/search?limit=10")
		// The last item that was seen goes away, and a newer one comes: neither moves the place of the page.
		c.want(204, "DELETE", "/collections/c/items/"+page.ids()[9], nil)
		c.want(201, "POST", "/collections/c/items", feature(35))
		if diff := cmp.Diff("item-019", follow(c, page).ids()[0]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLimits(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.fill("c", 15)
		for limit, want := range map[string]int{"": 10, "1": 1, "15": 15, "10000": 15, "100000": 15, "1000000": 15, "1e1": 10} {
			path := "/search?limit=" + limit
			if got := len(c.want(200, "GET", path, nil).ids()); got != want {
				t.Errorf("limit %q gives %d items, want %d", limit, got, want)
			}
		}
		for _, limit := range []string{"0", "-1", "x", "1.5", "NaN"} {
			c.want(400, "GET", "/search?limit="+limit, nil)
		}
	})
}

func TestBadSearches(t *testing.T) {
	c := serve(t, api.NewMemory())
	for _, query := range []string{
		"bbox=1,2,3", "bbox=1,2,3,x", "bbox=1,9,3,2", "bbox=1,2,3,99", "bbox=NaN,2,3,4", "datetime=", "datetime=2023-01-01", "datetime=../..",
		"intersects=x", "intersects={}", "bbox=0,0,1,1&intersects=" + url.QueryEscape(`{"type":"Point","coordinates":[1,2]}`),
		"sortby=geometry", "sortby=", "query=x", "filter=a", "filter=a=1&filter-lang=sql", "filter=a=1&filter-crs=EPSG:4326", "token=x", "token=W10", "a=%zz",
	} {
		if query == "sortby=" { // empty parameters count as absent, but datetime
			c.want(200, "GET", "/search?"+query, nil)
			continue
		}
		c.want(400, "GET", "/search?"+query, nil)
	}
	for _, body := range []string{
		`{`, `[]`, `"x"`, `{"limit":"10"}`, `{"limit":0}`, `{"ids":[1]}`, `{"bbox":"1,2,3,4"}`, `{"bbox":[1,2]}`, `{"datetime":1}`, `{"datetime":""}`,
		`{"intersects":{"type":"Point"}}`, `{"bbox":[0,0,1,1],"intersects":{"type":"Point","coordinates":[0,0]}}`, `{"sortby":"id"}`, `{"sortby":[{}]}`,
		`{"sortby":[{"field":"id","direction":"up"}]}`, `{"fields":null}`, `{"fields":[]}`, `{"query":[]}`, `{"filter":{"op":"x","args":[]}}`, `{"token":"x"}`,
	} {
		c.want(400, "POST", "/search", body)
	}
	c.want(415, "POST", "/search", "<a/>", "Content-Type", "text/xml")
	c.want(200, "POST", "/search", "")
	c.want(200, "POST", "/search", `{"unknown":1,"bbox":null}`)
}

func TestFields(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.fill("c", 1)
	known := []string{"type", "stac_version", "id", "collection"}
	tests := []struct {
		name, query string
		body        string
		members     []string
		properties  []string
	}{
		{"nothing means the least item", "fields=", `{}`, []string{"type", "stac_version", "id", "geometry", "bbox", "links", "assets", "properties", "collection"}, []string{"datetime"}},
		{"included", "fields=geometry", `{"include":["geometry"]}`, append([]string{"geometry"}, known...), nil},
		{"nested", "fields=properties.n", `{"include":["properties.n"]}`, append([]string{"properties"}, known...), []string{"n"}},
		{"excluded", "fields=-geometry,-assets", `{"exclude":["geometry","assets"]}`, []string{"type", "stac_version", "id", "bbox", "links", "properties", "collection"}, []string{"datetime", "n", "platform"}},
		{"nested excluded", "fields=-properties.n", `{"exclude":["properties.n"]}`, []string{"type", "stac_version", "id", "geometry", "bbox", "links", "assets", "properties", "collection"}, []string{"datetime", "platform"}},
		{"included beats excluded", "fields=%2Bgeometry,-geometry", `{"include":["geometry"],"exclude":["geometry"]}`, append([]string{"geometry"}, known...), nil},
		{"object without one member", "fields=properties,-properties.n", `{"include":["properties"],"exclude":["properties.n"]}`, append([]string{"properties"}, known...), []string{"datetime", "platform"}},
		{"one member of an excluded object", "fields=-properties,properties.n", `{"include":["properties.n"],"exclude":["properties"]}`, append([]string{"properties"}, known...), []string{"n"}},
		{"id left out on purpose", "fields=geometry,-id", `{"include":["geometry"],"exclude":["id"]}`, []string{"geometry", "type", "stac_version", "collection"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for way, a := range map[string]answer{
				"GET":  c.want(200, "GET", "/search?"+tt.query, nil),
				"POST": c.want(200, "POST", "/search", `{"fields":`+tt.body+`}`),
			} {
				item := a.json["features"].([]any)[0].(map[string]any)
				if diff := cmp.Diff(sorted(tt.members), keys(item)); diff != "" {
					t.Errorf("%s: %s", way, diff)
				}
				properties, _ := item["properties"].(map[string]any)
				if diff := cmp.Diff(sorted(tt.properties), keys(properties)); diff != "" {
					t.Errorf("%s: properties: %s", way, diff)
				}
			}
		})
	}
}

func sorted(list []string) []string {
	list = append([]string{}, list...)
	slices.Sort(list)
	return list
}

func keys(m map[string]any) []string {
	list := []string{}
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
