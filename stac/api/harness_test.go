package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/stac/api"
)

// stores are the two kinds of store, each empty; every behaviour is tested on both.
func stores(t *testing.T, test func(t *testing.T, store api.Store)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, api.NewMemory())
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		store, err := api.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "a b?%.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, store)
	})
}

// client sends requests to an API over loopback.
type client struct {
	*testing.T
	base string
}

func serve(t *testing.T, store api.Store) client {
	t.Helper()
	server := httptest.NewServer(api.New(store, api.Options{}))
	t.Cleanup(server.Close)
	return client{t, server.URL}
}

// answer is a decoded response.
type answer struct {
	status int
	header http.Header
	text   []byte
	json   map[string]any
}

func (c client) do(method, path string, body any, header ...string) answer {
	c.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = bytes.NewReader([]byte(b))
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(c.Context(), method, c.base+path, reader)
	if err != nil {
		c.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, text: text}
	if len(text) > 0 && text[0] == '{' {
		if err := json.Unmarshal(text, &a.json); err != nil {
			c.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return a
}

func (c client) get(path string) answer {
	c.Helper()
	return c.do(http.MethodGet, path, nil)
}

// want sends a request and checks the status, and that an error is {code, description}. The status of a write is one that the
// description of the API tells of, unless nothing may be changed.
func (c client) want(status int, method, path string, body any, header ...string) answer {
	c.Helper()
	a := c.do(method, path, body, header...)
	if a.status != status {
		c.Errorf("%s %s answered %d, want %d: %.300s", method, path, a.status, status, a.text)
	}
	if a.status >= 400 && method != http.MethodHead && (a.json["code"] == nil || a.json["description"] == nil) {
		c.Errorf("%s %s: error without code or description: %s", method, path, a.text)
	}
	if told := writeAnswers(c.T)[method]; told != nil {
		for template, statuses := range told {
			if a.status != http.StatusMethodNotAllowed && samePath(template, path) && !slices.Contains(statuses, strconv.Itoa(a.status)) {
				c.Errorf("%s %s answered %d, openapi.json has %v", method, template, a.status, statuses)
			}
		}
	}
	return a
}

// writeAnswers are the statuses that openapi.json lists, by method and path, of what changes something.
func writeAnswers(t *testing.T) map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string][]string{}
	for path, operations := range document.Paths {
		for method, operation := range operations {
			if method = strings.ToUpper(method); method == http.MethodGet || !strings.HasPrefix(path, "/collections") {
				continue
			}
			if all[method] == nil {
				all[method] = map[string][]string{}
			}
			all[method][path] = slices.Collect(maps.Keys(operation.Responses))
		}
	}
	return all
}

// samePath reports whether a path is one that a template with {names} stands for.
func samePath(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return strings.HasPrefix(w, "{") || w == g })
}

func (a answer) ids() []string {
	ids := []string{}
	features, _ := a.json["features"].([]any)
	for _, f := range features {
		id, _ := f.(map[string]any)["id"].(string)
		ids = append(ids, id)
	}
	return ids
}

func (a answer) link(rel string) map[string]any {
	links, _ := a.json["links"].([]any)
	for _, l := range links {
		if l := l.(map[string]any); l["rel"] == rel {
			return l
		}
	}
	return nil
}

func collection(id string) map[string]any {
	return map[string]any{
		"type": "Collection", "stac_version": "1.0.0", "id": id, "description": "d", "license": "proprietary",
		"extent": map[string]any{
			"spatial": map[string]any{"bbox": []any{[]any{0, 0, 60, 60}}}, "temporal": map[string]any{"interval": []any{[]any{nil, nil}}},
		},
		"links": []any{map[string]any{"rel": "license", "href": "https://example.com/l"}, map[string]any{"rel": "self", "href": "http://elsewhere/"}},
	}
}

// feature is an item n: a square of one degree at n degrees east, n hours after noon of a day, cloud cover
// falling with n but for every fifth item, which has none.
func feature(n int) map[string]any {
	x := float64(n % 60)
	properties := map[string]any{"datetime": fmt.Sprintf("2023-06-%02dT%02d:00:00Z", 1+n/24, n%24), "n": n, "platform": []string{"a", "b"}[n%2]}
	if n%5 != 0 {
		properties["eo:cloud_cover"] = 100 - float64(n)/2
	}
	return map[string]any{
		"type": "Feature", "stac_version": "1.0.0", "id": fmt.Sprintf("item-%03d", n),
		"geometry": map[string]any{"type": "Polygon", "coordinates": []any{[]any{
			[]any{x, 0}, []any{x + 0.9, 0}, []any{x + 0.9, 1}, []any{x, 1}, []any{x, 0},
		}}},
		"bbox": []any{x, 0, x + 0.9, 1}, "properties": properties,
		"assets": map[string]any{"data": map[string]any{"href": "https://example.com/a.tif"}}, "links": []any{},
	}
}

// fill makes a collection of n items.
func (c client) fill(id string, n int) {
	c.Helper()
	c.want(201, "POST", "/collections", collection(id))
	features := make([]any, n)
	for i := range n {
		features[i] = feature(i)
	}
	c.want(201, "POST", "/collections/"+url.PathEscape(id)+"/items", map[string]any{"type": "FeatureCollection", "features": features})
}
