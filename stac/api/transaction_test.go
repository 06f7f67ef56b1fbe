package api_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stacrun/stacrun/stac/api"
)

func TestCollectionTransactions(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		a := c.want(201, "POST", "/collections", collection("c"))
		if got := a.header.Get("Location"); got != c.base+"/collections/c" {
			t.Errorf("location %q", got)
		}
		c.want(409, "POST", "/collections", collection("c"))
		changed := collection("c")
		changed["description"] = "changed"
		c.want(204, "PUT", "/collections/c", changed)
		if got := c.get("/collections/c").json["description"]; got != "changed" {
			t.Errorf("after PUT: %v", got)
		}
		c.want(204, "PATCH", "/collections/c", map[string]any{"title": "t", "description": "patched"})
		if got := c.get("/collections/c").json; got["title"] != "t" || got["description"] != "patched" {
			t.Errorf("after PATCH: %v", got)
		}
		c.want(400, "PUT", "/collections/c", collection("other"))
		c.want(404, "PUT", "/collections/x", collection("x"))
		c.want(404, "PATCH", "/collections/x", map[string]any{})
		c.want(400, "PATCH", "/collections/c", map[string]any{"type": "Catalog"})
		c.want(400, "PATCH", "/collections/c", []any{})
		for _, missing := range []string{"type", "stac_version", "id", "description", "license", "extent"} {
			bad := collection("bad")
			delete(bad, missing)
			c.want(400, "POST", "/collections", bad)
		}
		c.want(201, "POST", "/collections/c/items", feature(1))
		c.want(204, "DELETE", "/collections/c", nil)
		c.want(404, "DELETE", "/collections/c", nil)
		c.want(404, "GET", "/collections/c/items/item-001", nil)
		c.want(201, "POST", "/collections", collection("c"))
		if got := c.get("/search").ids(); len(got) != 0 {
			t.Errorf("items of a deleted collection came back: %v", got)
		}
	})
}

func TestItemTransactions(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.want(201, "POST", "/collections", collection("c"))
		a := c.want(201, "POST", "/collections/c/items", feature(1))
		if got := a.header.Get("Location"); got != c.base+"/collections/c/items/item-001" {
			t.Errorf("location %q", got)
		}
		if got := a.json["collection"]; got != "c" {
			t.Errorf("collection of the new item is %v", got)
		}
		c.want(409, "POST", "/collections/c/items", feature(1))
		c.want(404, "POST", "/collections/x/items", feature(1))

		changed := feature(1)
		changed["properties"].(map[string]any)["n"] = 7
		delete(changed["properties"].(map[string]any), "platform")
		c.want(204, "PUT", "/collections/c/items/item-001", changed)
		got := c.get("/collections/c/items/item-001").json["properties"]
		if diff := cmp.Diff(map[string]any{"datetime": "2023-06-01T01:00:00Z", "n": 7.0, "eo:cloud_cover": 99.5}, got); diff != "" {
			t.Errorf("after PUT: %s", diff)
		}
		shown := c.want(200, "PUT", "/collections/c/items/item-001", changed, "Prefer", "return=representation")
		if shown.json["id"] != "item-001" {
			t.Errorf("no representation: %s", shown.text)
		}
		c.want(204, "PATCH", "/collections/c/items/item-001", map[string]any{"properties": map[string]any{"n": nil, "added": []any{1, 2}}},
			"Content-Type", "application/merge-patch+json")
		got = c.get("/collections/c/items/item-001").json["properties"]
		if diff := cmp.Diff(map[string]any{"datetime": "2023-06-01T01:00:00Z", "eo:cloud_cover": 99.5, "added": []any{1.0, 2.0}}, got); diff != "" {
			t.Errorf("after PATCH: %s", diff)
		}
		// Moving an item in space and time moves it in the indexes.
		moved := feature(30)
		moved["id"] = "item-001"
		c.want(204, "PUT", "/collections/c/items/item-001", moved)
		for query, want := range map[string]int{"bbox=1,0,1.5,1": 0, "bbox=30.1,0,30.5,1": 1, "datetime=2023-06-01T01:00:00Z": 0, "datetime=2023-06-02T06:00:00Z": 1} {
			if got := c.get("/search?" + query).ids(); len(got) != want {
				t.Errorf("%s finds %v after a move", query, got)
			}
		}
		c.want(400, "PUT", "/collections/c/items/item-001", feature(2))
		c.want(404, "PUT", "/collections/c/items/item-002", feature(2))
		c.want(404, "PATCH", "/collections/c/items/item-002", map[string]any{})
		c.want(400, "PATCH", "/collections/c/items/item-001", map[string]any{"id": "other"})
		c.want(400, "PATCH", "/collections/c/items/item-001", map[string]any{"properties": map[string]any{"datetime": nil}})
		c.want(415, "PATCH", "/collections/c/items/item-001", "[]", "Content-Type", "application/json-patch+json")
		c.want(204, "DELETE", "/collections/c/items/item-001", nil)
		c.want(204, "DELETE", "/collections/c/items/item-001", nil)
		c.want(404, "PUT", "/collections/c/items/item-001", feature(1))
		c.want(404, "PUT", "/collections/x/items/item-001", feature(1))
		c.want(404, "PATCH", "/collections/x/items/item-001", map[string]any{})
		c.want(404, "DELETE", "/collections/x/items/item-001", nil)
		c.want(404, "GET", "/collections/c/items/item-001", nil)
	})
}

func TestBadItems(t *testing.T) {
	c := serve(t, api.NewMemory())
	c.want(201, "POST", "/collections", collection("c"))
	bad := map[string]func(f map[string]any){
		"other collection":     func(f map[string]any) { f["collection"] = "other" },
		"wrong type":           func(f map[string]any) { f["type"] = "Item" },
		"id not text":          func(f map[string]any) { f["id"] = 1 },
		"empty id":             func(f map[string]any) { f["id"] = "" },
		"geometry not valid":   func(f map[string]any) { f["geometry"] = map[string]any{"type": "Polygon", "coordinates": []any{}} },
		"bbox too short":       func(f map[string]any) { f["bbox"] = []any{1, 2} },
		"bbox not numbers":     func(f map[string]any) { f["bbox"] = "x" },
		"properties not there": func(f map[string]any) { delete(f, "properties") },
		"properties null":      func(f map[string]any) { f["properties"] = nil },
		"no datetime":          func(f map[string]any) { delete(f["properties"].(map[string]any), "datetime") },
		"datetime null alone":  func(f map[string]any) { f["properties"].(map[string]any)["datetime"] = nil },
		"datetime a day":       func(f map[string]any) { f["properties"].(map[string]any)["datetime"] = "2023-06-01" },
		"only a start": func(f map[string]any) {
			f["properties"] = map[string]any{"datetime": nil, "start_datetime": "2023-06-01T00:00:00Z"}
		},
		"end before start": func(f map[string]any) {
			f["properties"] = map[string]any{"datetime": nil, "start_datetime": "2023-06-02T00:00:00Z", "end_datetime": "2023-06-01T00:00:00Z"}
		},
		"assets not there": func(f map[string]any) { delete(f, "assets") },
		"links not a list": func(f map[string]any) { f["links"] = "x" },
		"no version":       func(f map[string]any) { delete(f, "stac_version") },
		"no geometry":      func(f map[string]any) { delete(f, "geometry") },
	}
	for name, spoil := range bad {
		f := feature(1)
		spoil(f)
		if a := c.do("POST", "/collections/c/items", f); a.status != 400 || a.json["code"] != "BadRequest" {
			t.Errorf("%s: %d %s", name, a.status, a.text)
		}
	}
	for _, text := range []string{"", "{", "[]", "null", `"x"`} {
		c.want(400, "POST", "/collections/c/items", text)
	}
}

func TestUnusualItems(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.want(201, "POST", "/collections", collection("c"))
		nowhere := feature(1)
		nowhere["id"], nowhere["geometry"] = "nowhere", nil
		delete(nowhere, "bbox")
		c.want(201, "POST", "/collections/c/items", nowhere)
		span := feature(2)
		span["id"] = "span"
		span["properties"] = map[string]any{"datetime": nil, "start_datetime": "2022-01-01T00:00:00Z", "end_datetime": "2024-01-01T00:00:00Z"}
		c.want(201, "POST", "/collections/c/items", span)
		boxless := feature(3)
		boxless["id"] = "boxless"
		delete(boxless, "bbox")
		c.want(201, "POST", "/collections/c/items", boxless)
		for query, want := range map[string][]string{
			"":                                 {"boxless", "nowhere", "span"},
			"bbox=-180,-90,180,90":             {"boxless", "span"},
			"datetime=2022-06-01T00:00:00Z":    {"span"},
			"datetime=2023-06-01T02:00:00Z/..": {"boxless", "span"},
			"datetime=../2021-12-31T00:00:00Z": {},
			"sortby=id":                        {"boxless", "nowhere", "span"},
			"datetime=2023-12-31T23:00:00Z/..": {"span"},
			"filter=s_intersects(geometry,POINT(3.5 0.5))": {"boxless"},
		} {
			got := c.want(200, "GET", "/search?"+escape(query), nil).ids()
			if diff := cmp.Diff(want, sorted(got)); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
		bbox := c.get("/collections/c/items/boxless").json["bbox"]
		if diff := cmp.Diff([]any{3.0, 0.0, 3.9, 1.0}, bbox); diff != "" {
			t.Errorf("bbox made from the geometry: %s", diff)
		}
	})
}

func escape(query string) string {
	out := []byte{}
	for _, b := range []byte(query) {
		if b == ' ' {
			out = append(out, '+')
			continue
		}
		out = append(out, b)
	}
	return string(out)
}

func TestManyItemsAtOnce(t *testing.T) {
	stores(t, func(t *testing.T, store api.Store) {
		c := serve(t, store)
		c.want(201, "POST", "/collections", collection("c"))
		many := func(numbers ...int) map[string]any {
			features := []any{}
			for _, n := range numbers {
				features = append(features, feature(n))
			}
			return map[string]any{"type": "FeatureCollection", "features": features}
		}
		c.want(201, "POST", "/collections/c/items", many(1, 2, 3))
		c.want(409, "POST", "/collections/c/items", many(4, 2)) // none of it
		c.want(404, "GET", "/collections/c/items/item-004", nil)

		bulk := func(method string, numbers ...int) map[string]any {
			items := map[string]any{}
			for _, n := range numbers {
				f := feature(n)
				items[f["id"].(string)] = f
			}
			return map[string]any{"items": items, "method": method}
		}
		check := func(a answer, received, success, skipped, errors int) {
			t.Helper()
			got := []int{
				int(a.json["received"].(float64)), int(a.json["success"].(float64)),
				len(a.json["skipped"].([]any)), len(a.json["errors"].([]any)),
			}
			if diff := cmp.Diff([]int{received, success, skipped, errors}, got); diff != "" {
				t.Errorf("%s: %s", a.text, diff)
			}
		}
		check(c.want(200, "POST", "/collections/c/bulk_items", bulk("insert", 5, 6)), 2, 2, 0, 0)
		check(c.want(200, "POST", "/collections/c/bulk_items", bulk("insert", 6, 7)), 2, 1, 1, 0)
		check(c.want(200, "POST", "/collections/c/bulk_items", bulk("upsert", 6, 8)), 2, 2, 0, 0)
		partly := bulk("insert", 9)
		partly["items"].(map[string]any)["wrong"] = feature(10)
		partly["items"].(map[string]any)["broken"] = map[string]any{"id": "broken"}
		check(c.want(200, "POST", "/collections/c/bulk_items", partly), 3, 1, 0, 2)
		c.want(404, "POST", "/collections/x/bulk_items", bulk("insert", 1))
		c.want(400, "POST", "/collections/c/bulk_items", bulk("replace", 1))
		c.want(400, "POST", "/collections/c/bulk_items", "[]")
		if n, err := store.Count(t.Context(), "c"); err != nil || n != 8 {
			t.Errorf("%d items, %v", n, err)
		}
	})
}

func TestSQLiteKeepsWhatWasWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "items.db")
	before, err := api.OpenSQLite(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, before)
	c.fill("c", 12)
	first := c.get("/search?limit=5")
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := api.OpenSQLite(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	again := serve(t, after)
	if diff := cmp.Diff(first.ids(), again.get("/search?limit=5").ids()); diff != "" {
		t.Error(diff)
	}
	if got := again.want(200, "GET", "/collections/c/items/item-003", nil).json["id"]; got != "item-003" {
		t.Errorf("got item %v", got)
	}
	if len(again.get("/search?bbox=3.1,0,3.2,1").ids()) != 1 {
		t.Error("the tree of boxes was lost")
	}
}
