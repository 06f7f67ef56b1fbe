package ingest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// discard takes whatever it is sent, and finds every id.
func discard(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/search") {
		var s struct{ IDs []string }
		_ = json.NewDecoder(r.Body).Decode(&s)
		features := make([]map[string]string, len(s.IDs))
		for i, id := range s.IDs {
			features[i] = map[string]string{"id": id}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"features": features})
		return
	}
	size, _ := io.Copy(io.Discard, r.Body)
	if strings.HasSuffix(r.URL.Path, "/bulk_items") {
		_, _ = fmt.Fprintf(w, `{"success":%d,"skipped":[],"errors":[]}`, size/itemSize)
		return
	}
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = io.WriteString(w, "{}")
}

const itemSize = 10_000

// A hundred and fifty megabytes of items go through, and what is alive at any time is a few batches.
func TestMemoryStaysFlat(t *testing.T) {
	const count = 15_000
	server := httptest.NewServer(http.HandlerFunc(discard))
	defer server.Close()
	padding := strings.Repeat("x", itemSize)
	s := Source{Collection: []byte(`{"id":"c"}`), Count: count, Items: func(yield func([]byte, error) bool) {
		for i := range count {
			if !yield(fmt.Appendf(nil, `{"type":"Feature","id":"i%d","collection":"c","p":"%s"}`, i, padding), nil) {
				return
			}
		}
	}}
	var most uint64
	steps := 0
	report, err := Run(t.Context(), s, Options{Address: server.URL, Progress: func(Progress) {
		if steps++; steps%50 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}})
	if err != nil || report.Created != count || report.Verified != count {
		t.Fatalf("%v, %+v", err, report)
	}
	t.Logf("%d MB at most", most>>20)
	if most == 0 || most > 80<<20 {
		t.Errorf("%d MB were alive", most>>20)
	}
}
