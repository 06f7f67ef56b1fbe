package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

func TestOpen(t *testing.T) {
	const collection = `{"id":"c","extent":{}}`
	tests := []struct {
		name       string
		files      map[string]string
		ids        []string
		collection bool
		openError  string
		readError  string
	}{
		{name: "feature collection", files: map[string]string{"a.json": `{"type":"FeatureCollection","features":[{"id":"1"},{"id":"2"}],"more":[1]}`}, ids: []string{"1", "2"}},
		{name: "members after and before", files: map[string]string{"a.geojson": `{"links":[{}],"features":[{"id":"1"}],"type":"FeatureCollection"}`}, ids: []string{"1"}},
		{name: "lines", files: map[string]string{"a.ndjson": "{\"type\":\"Feature\",\"id\":\"1\"}\n\n{\"type\":\"Feature\",\"id\":\"2\"}\r\n"}, ids: []string{"1", "2"}},
		{name: "one item", files: map[string]string{"a.json": "\xEF\xBB\xBF{\"type\":\"Feature\",\"id\":\"1\",\"a\":{\"b\":[1]}}"}, ids: []string{"1"}},
		{name: "folder in order, with a collection", files: map[string]string{
			"b.json": `{"features":[{"id":"2"}]}`, "a.jsonl": `{"type":"Feature","id":"1"}`, "collection.json": collection, "notes.txt": "x",
		}, ids: []string{"1", "2"}, collection: true},
		{name: "collection with its type", files: map[string]string{"a.json": `{"type":"Collection","id":"c"}`, "b.json": `{"features":[]}`}, collection: true},
		{name: "two collections", files: map[string]string{"a.json": collection, "b.json": collection}, openError: "a second collection"},
		{name: "empty folder", files: map[string]string{"a.txt": ""}, openError: "holds no"},
		{name: "cut short", files: map[string]string{"a.json": `{"features":[{"id":"1"},{"id`}, ids: []string{"1"}, readError: "unexpected EOF"},
		{name: "a catalog", files: map[string]string{"a.json": `{"type":"Catalog","id":"1"}`}, readError: "not a Feature"},
		{name: "a list", files: map[string]string{"a.json": `[{"id":"1"}]`}, readError: "where an object should begin"},
		{name: "features not a list", files: map[string]string{"a.json": `{"features":{}}`}, readError: "not an array"},
		{name: "not JSON", files: map[string]string{"a.json": `id,name`}, readError: "invalid character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			name := dir
			for file, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				if len(tt.files) == 1 {
					name = filepath.Join(dir, file)
				}
			}
			if tt.openError == "holds no" {
				name = dir
			}
			s, err := Open(name)
			if tt.openError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.openError) {
					t.Fatalf("error %v, want %q", err, tt.openError)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (s.Collection != nil) != tt.collection {
				t.Errorf("collection %s", s.Collection)
			}
			for range 2 { // a source can be read again
				var ids []string
				var fault error
				for text, err := range s.Items {
					if err != nil {
						fault = err
						break
					}
					ids = append(ids, gjson.GetBytes(text, "id").String())
				}
				if diff := cmp.Diff(tt.ids, ids); diff != "" {
					t.Error(diff)
				}
				if (fault != nil) != (tt.readError != "") || fault != nil && !strings.Contains(fault.Error(), tt.readError) {
					t.Errorf("error %v, want %q", fault, tt.readError)
				}
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nothing.json")); err == nil {
		t.Error("a file that does not exist opens")
	}
}

func TestDocumentsArePrepared(t *testing.T) {
	got, err := PrepareCollection([]byte(`{"id":"old","license":"x"}`), "new")
	if want := `{"type":"Collection","id":"new","license":"x"}`; err != nil || string(got) != want {
		t.Errorf("collection %s, %v", got, err)
	}
	got, id, err := PrepareItem([]byte(`{"id":"i","collection":"old","z":1,"a":2}`), "new")
	if want := `{"id":"i","collection":"new","z":1,"a":2}`; err != nil || id != "i" || string(got) != want {
		t.Errorf("item %s %s, %v", id, got, err)
	}
	for _, bad := range []string{`{`, `[]`, `{}`, `{"id":""}`} {
		if _, _, err := PrepareItem([]byte(bad), "c"); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
