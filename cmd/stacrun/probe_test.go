package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/item"
	"github.com/stacrun/stacrun/study"
)

func sampleServer(t *testing.T, items int, change func(http.Handler) http.Handler) string {
	t.Helper()
	store := api.NewMemory()
	if err := stac.Fill(context.Background(), store, stac.Generated(item.DefaultSeed, "", items), ""); err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = api.New(store, api.Options{})
	if change != nil {
		handler = change(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestProbe(t *testing.T) {
	whole := sampleServer(t, item.DefaultCount, nil)
	for _, tt := range []struct {
		name string
		url  string
		want []string // beginnings, in order
	}{
		{"the same data", sampleServer(t, item.DefaultCount, nil), nil},
		{"an item less", sampleServer(t, item.DefaultCount-1, nil), []string{"content: the items of the collection: "}},
		{"a search that is refused", sampleServer(t, item.DefaultCount, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && r.URL.Path == "/search" {
					http.Error(w, "unsupported value", http.StatusBadRequest)
					return
				}
				next.ServeHTTP(w, r)
			})
		}), []string{"content: GET /search with a box: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings, err := study.SameAnswers(context.Background(), stacProber{}, whole, tt.url)
			if err != nil {
				t.Fatal(err)
			}
			if len(tt.want) == 0 && len(findings) > 0 || len(tt.want) > len(findings) {
				t.Fatalf("%q", findings)
			}
			for _, want := range tt.want {
				if !strings.Contains(strings.Join(findings, "\n"), want) {
					t.Errorf("%q, want %q", findings, want)
				}
			}
		})
	}
	answers, err := stacProber{}.Probe(context.Background(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if a.Question != "an item that does not exist" && (a.Status != http.StatusOK || len(a.IDs) == 0) {
			t.Errorf("%s: %d with %d ids, so it tells nothing", a.Question, a.Status, len(a.IDs))
		}
	}
}
