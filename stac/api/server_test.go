package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/stac/api"
)

func TestLandingPageLinksLeadWhereTheySay(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.fill("c", 3)
	landing := c.want(200, "GET", "/", nil)
	if landing.json["type"] != "Catalog" || landing.json["stac_version"] != "1.0.0" {
		t.Errorf("%s", landing.text)
	}
	seen := map[string]int{}
	for _, l := range landing.json["links"].([]any) {
		l := l.(map[string]any)
		rel, href := l["rel"].(string), l["href"].(string)
		seen[rel]++
		path, ok := strings.CutPrefix(href, c.base)
		if !ok {
			t.Errorf("%s leads to %s", rel, href)
			continue
		}
		method := "GET"
		if l["method"] != nil {
			method = l["method"].(string)
		}
		a := c.want(200, method, path, nil, "Accept", l["type"].(string))
		if got := a.header.Get("Content-Type"); got != l["type"] {
			t.Errorf("%s %s answers %q, its link says %q", rel, href, got, l["type"])
		}
	}
	want := map[string]int{
		"self": 1, "root": 1, "service-desc": 1, "service-doc": 1, "conformance": 1, "data": 1, "search": 2, "child": 1,
		"http://www.opengis.net/def/rel/ogc/1.0/queryables": 1, "http://www.opengis.net/def/rel/ogc/1.0/sortables": 1,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(landing.json["conformsTo"], c.get("/conformance").json["conformsTo"]); diff != "" {
		t.Error(diff)
	}
}

func TestSelfLinksAreTheURLsAskedFor(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.fill("a b/ü", 2)
	for _, path := range []string{
		"/", "/collections", "/collections/a%20b%2F%C3%BC", "/collections/a%20b%2F%C3%BC/items", "/collections/a%20b%2F%C3%BC/items/item-001", "/search",
	} {
		a := c.want(200, "GET", path, nil)
		if self := a.link("self"); self == nil || self["href"] != c.base+path {
			t.Errorf("self of %s is %v", path, self)
		}
		if root := a.link("root"); root == nil || root["href"] != c.base+"/" {
			t.Errorf("root of %s is %v", path, root)
		}
	}
	for _, path := range []string{"/queryables", "/collections/a%20b%2F%C3%BC/queryables", "/sortables"} {
		if a := c.want(200, "GET", path, nil); a.json["$id"] != c.base+path || a.json["type"] != "object" {
			t.Errorf("%s: %s", path, a.text)
		}
	}
	// Links that a document came with stay, except those that are the server's to make.
	rels := []string{}
	for _, l := range c.get("/collections/a%20b%2F%C3%BC").json["links"].([]any) {
		rels = append(rels, l.(map[string]any)["rel"].(string))
	}
	if !slices.Contains(rels, "license") || strings.Count(strings.Join(rels, " "), "self") != 1 {
		t.Errorf("links %v", rels)
	}
}

func TestNotFoundAndNotAllowed(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.fill("c", 1)
	for _, path := range []string{
		"/nothing", "/collections/x", "/collections/x/items", "/collections/x/items/y", "/collections/c/items/y", "/collections/x/queryables",
		"/collections/c/other", "/search/x", "/_mgmt/x",
	} {
		c.want(404, "GET", path, nil)
	}
	for path, allow := range map[string]string{
		"/": "OPTIONS, GET, HEAD", "/search": "OPTIONS, GET, HEAD, POST", "/collections": "OPTIONS, GET, HEAD, POST",
		"/collections/c": "OPTIONS, GET, HEAD, PUT, PATCH, DELETE", "/collections/c/bulk_items": "OPTIONS, POST",
	} {
		a := c.want(405, "TRACE", path, nil)
		if got := a.header.Get("Allow"); got != allow {
			t.Errorf("%s allows %q, want %q", path, got, allow)
		}
	}
	server := httptest.NewServer(api.New(api.NewMemory(), api.Options{ReadOnly: true}))
	defer server.Close()
	read := client{t, server.URL}
	read.want(405, "POST", "/collections", collection("x"))
	read.want(405, "POST", "/collections/x/bulk_items", "{}")
	read.want(200, "POST", "/search", "{}")
	if strings.Contains(string(read.get("/conformance").text), "transaction") {
		t.Error("a read-only server claims transactions")
	}
}

func TestCORSHeadAndManagement(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.fill("c", 1)
	a := c.want(204, "OPTIONS", "/search", nil, "Origin", "https://example.com", "Access-Control-Request-Method", "POST")
	if a.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "POST") ||
		a.header.Get("Access-Control-Allow-Headers") != "Content-Type" {
		t.Errorf("%v", a.header)
	}
	if got := c.get("/collections/x").header.Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("an error without CORS: %q", got)
	}
	head := c.want(200, "HEAD", "/collections/c", nil)
	if len(head.text) != 0 || head.header.Get("Content-Length") != strconv.Itoa(len(c.get("/collections/c").text)) {
		t.Errorf("HEAD: %d bytes, %v", len(head.text), head.header)
	}
	c.want(404, "HEAD", "/collections/x", nil)
	if got := c.want(200, "GET", "/_mgmt/ping", nil).json["message"]; got != "PONG" {
		t.Errorf("ping: %v", got)
	}
	c.want(200, "GET", "/_mgmt/health", nil)
}

func TestBaseURL(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options api.Options
		header  []string
		want    string
	}{
		{"given", api.Options{BaseURL: "https://stac.example.com/v1/"}, nil, "https://stac.example.com/v1/"},
		{"forwarded and trusted", api.Options{TrustForwarded: true}, []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "front.example.com"}, "https://front.example.com/"},
		{"forwarded and not trusted", api.Options{}, []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "front.example.com"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(api.New(api.NewMemory(), tt.options))
			defer server.Close()
			c := client{t, server.URL}
			want := tt.want
			if want == "" {
				want = server.URL + "/"
			}
			if got := c.want(200, "GET", "/", nil, tt.header...).link("root")["href"]; got != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.fill("c", 10)
		var wait sync.WaitGroup
		for worker := range 4 {
			wait.Go(func() {
				for i := range 10 {
					n := 100 + worker*10 + i
					path := fmt.Sprintf("/collections/c/items/item-%03d", n)
					c.want(201, "POST", "/collections/c/items", feature(n))
					c.want(200, "GET", path, nil)
					if got := c.want(200, "GET", fmt.Sprintf("/search?ids=item-%03d", n), nil).ids(); len(got) != 1 {
						t.Errorf("item %d does not show: %v", n, got)
					}
					c.want(204, "PATCH", path, map[string]any{"properties": map[string]any{"n": -1}})
					c.want(200, "GET", "/search?bbox=0,0,60,1&sortby=-eo:cloud_cover", nil)
					if i%2 == 0 {
						c.want(204, "DELETE", path, nil)
					}
				}
			})
		}
		wait.Wait()
		if n, err := store.Count(t.Context(), "c"); err != nil || n != 30 {
			t.Errorf("%d items, %v", n, err)
		}
	})
}

// nobody is a response writer that keeps nothing.
type nobody struct{ header http.Header }

func (n nobody) Header() http.Header         { return n.header }
func (n nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n nobody) WriteHeader(int)             {}

func BenchmarkSearch_bboxOf100(b *testing.B) {
	store := api.NewMemory()
	c, err := api.ParseCollection([]byte(`{"type":"Collection","stac_version":"1.0.0","id":"c","description":"d","license":"x",` +
		`"extent":{"spatial":{"bbox":[[0,0,1,1]]},"temporal":{"interval":[[null,null]]}}}`))
	if err != nil {
		b.Fatal(err)
	}
	if err := store.PutCollection(b.Context(), c, api.Create); err != nil {
		b.Fatal(err)
	}
	for n := range 100 {
		it, err := api.ParseItem(fmt.Appendf(nil, `{"type":"Feature","stac_version":"1.0.0","id":"%d","geometry":{"type":"Point","coordinates":[%d,0]},`+
			`"properties":{"datetime":"2023-06-01T00:00:00Z"},"assets":{"a":{"href":"%s"}}}`, n, n, strings.Repeat("x", 9000)), "c")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := store.PutItems(b.Context(), "c", []*api.Item{it}, api.Create); err != nil {
			b.Fatal(err)
		}
	}
	handler := api.New(store, api.Options{})
	r := httptest.NewRequest(http.MethodGet, "/search?bbox=10,-1,50,1&limit=10", nil)
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(nobody{http.Header{}}, r)
	}
}
