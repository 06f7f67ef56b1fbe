package stac

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/stac/api"
)

// newHandler returns a function that searches a store by POST and gives the number of items found.
func newHandler(t *testing.T, store api.Store) func(search map[string]any) int {
	t.Helper()
	server := api.New(store, api.Options{})
	return func(search map[string]any) int {
		t.Helper()
		search["limit"] = 1
		body, err := json.Marshal(search)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("POST", "/search", strings.NewReader(string(body))))
		var found struct{ Features []json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %.300s", body, w.Code, w.Body.String())
		}
		return len(found.Features)
	}
}
