package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a STAC API with the faults that real ones have.
type fake struct {
	mu          sync.Mutex
	collections map[string]bool
	items       map[string]time.Time // when they begin to show
	posts       int
	bulks       int

	noBulk      bool // no such route
	bulkAnswer  func(size int) (status int, body string)
	delay       time.Duration // until a write shows
	flaky       int           // every n-th request answers 503
	refuse      string        // id that is answered 400
	lose        string        // id that is answered 201 and never shows
	noSearch    bool          // POST /search answers 405
	noWrites    bool
	requests    int
	itemsStatus int // of a created item; 0: 201
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	answer := func(status int, body string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	body, _ := io.ReadAll(r.Body)
	if f.flaky > 0 && f.requests%f.flaky == 0 {
		answer(503, "try again")
		return
	}
	if f.noWrites && r.Method == http.MethodPost {
		answer(405, `{"detail":"Method Not Allowed"}`)
		return
	}
	switch {
	case r.URL.Path == "/collections":
		var c struct{ ID, Type string }
		_ = json.Unmarshal(body, &c)
		switch {
		case c.Type != "Collection":
			answer(400, "no type")
		case f.collections[c.ID]:
			answer(409, "exists")
		default:
			f.collections[c.ID] = true
			answer(201, "{}")
		}
	case r.URL.Path == "/collections/c":
		if !f.collections["c"] {
			answer(404, "no collection")
			return
		}
		answer(200, "{}")
	case r.URL.Path == "/collections/c/bulk_items" && !f.noBulk:
		f.bulks++
		var b struct{ Items map[string]json.RawMessage }
		_ = json.Unmarshal(body, &b)
		if f.bulkAnswer != nil {
			answer(f.bulkAnswer(len(b.Items)))
			return
		}
		skipped := []string{}
		for id := range b.Items {
			if _, ok := f.items[id]; ok {
				skipped = append(skipped, id)
				continue
			}
			f.items[id] = time.Now().Add(f.delay)
		}
		text, _ := json.Marshal(map[string]any{"received": len(b.Items), "success": len(b.Items) - len(skipped), "skipped": skipped, "errors": []string{}})
		answer(200, string(text))
	case r.URL.Path == "/collections/c/items":
		f.posts++
		var i struct{ ID, Collection string }
		_ = json.Unmarshal(body, &i)
		_, exists := f.items[i.ID]
		switch {
		case i.Collection != "c":
			answer(400, "wrong collection")
		case i.ID == f.refuse:
			answer(400, fmt.Sprintf(`{"detail":"item %q is bad"}`, i.ID))
		case exists:
			answer(409, "exists")
		default:
			f.items[i.ID] = time.Now().Add(f.delay)
			if i.ID == f.lose {
				f.items[i.ID] = time.Now().Add(time.Hour)
			}
			answer(max(f.itemsStatus, 201), "{}")
		}
	case r.URL.Path == "/search" && !f.noSearch:
		var s struct{ IDs []string }
		_ = json.Unmarshal(body, &s)
		features := []map[string]string{}
		for _, id := range s.IDs {
			if at, ok := f.items[id]; ok && time.Now().After(at) {
				features = append(features, map[string]string{"id": id, "collection": "c"})
			}
		}
		text, _ := json.Marshal(map[string]any{"features": features})
		answer(200, string(text))
	case strings.HasPrefix(r.URL.Path, "/collections/c/items/"):
		if at, ok := f.items[strings.TrimPrefix(r.URL.Path, "/collections/c/items/")]; ok && time.Now().After(at) {
			answer(200, "{}")
			return
		}
		answer(404, "no item")
	default:
		answer(404, `{"detail":"Not Found"}`)
	}
}

func source(n int) Source {
	return Source{
		Collection: []byte(`{"id":"other","extent":{}}`), Count: n,
		Items: func(yield func([]byte, error) bool) {
			for i := range n {
				if !yield(fmt.Appendf(nil, `{"type":"Feature","id":"i%d","collection":"other"}`, i), nil) {
					return
				}
			}
		},
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		fake *fake
		want Report // the counts
	}{
		{name: "bulk where offered", fake: &fake{}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120, Bulk: true}},
		{name: "no bulk route", fake: &fake{noBulk: true}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120}},
		{name: "writes show late", fake: &fake{delay: 300 * time.Millisecond}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120, Bulk: true}},
		{name: "now and then 503", fake: &fake{flaky: 5, noBulk: true}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120}},
		{name: "no search by id", fake: &fake{noSearch: true}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120, Bulk: true}},
		{name: "one item refused", fake: &fake{noBulk: true, refuse: "i7"}, want: Report{New: true, Sent: 120, Created: 119, Failed: 1, Verified: 119}},
		{name: "one item lost", fake: &fake{noBulk: true, lose: "i7"}, want: Report{New: true, Sent: 120, Created: 120, Verified: 119, Missing: 1}},
		{name: "accepted for later", fake: &fake{noBulk: true, itemsStatus: 202}, want: Report{New: true, Sent: 120, Created: 120, Verified: 120}},
		{
			name: "bulk says 200 and lists failures",
			fake: &fake{bulkAnswer: func(int) (int, string) { return 200, `{"received":50,"success":0,"skipped":[],"errors":["no"]}` }},
			want: Report{New: true, Sent: 120, Created: 120, Verified: 120, Bulk: true},
		},
		{
			name: "bulk fails as a whole",
			fake: &fake{bulkAnswer: func(int) (int, string) { return 409, "exists" }},
			want: Report{New: true, Sent: 120, Created: 120, Verified: 120, Bulk: true},
		},
		{
			name: "bulk answers a sentence and adds nothing",
			fake: &fake{bulkAnswer: func(n int) (int, string) { return 200, fmt.Sprintf(`"Successfully added %d items."`, n) }},
			want: Report{New: true, Sent: 120, Created: 120, Missing: 120, Bulk: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := tt.fake
			f.collections, f.items = map[string]bool{}, map[string]time.Time{}
			server := httptest.NewServer(f)
			defer server.Close()
			wait := 20 * time.Second
			if tt.want.Missing > 0 {
				wait = 200 * time.Millisecond
			}
			report, err := Run(t.Context(), source(120), Options{Address: server.URL + "/", Collection: "c", Wait: wait})
			if err != nil {
				t.Fatal(err)
			}
			got := [...]any{report.New, report.Sent, report.Created, report.Existing, report.Failed, report.Verified, report.Missing, report.Bulk}
			w := tt.want
			if want := [...]any{w.New, w.Sent, w.Created, w.Existing, w.Failed, w.Verified, w.Missing, w.Bulk}; got != want {
				t.Errorf("got %v, want %v; errors %v", got, want, report.Errors)
			}
			if report.OK() != (w.Failed+w.Missing == 0) {
				t.Errorf("OK is %v", report.OK())
			}
			var table strings.Builder
			if err := report.WriteErrors(&table); err != nil || (table.Len() > 0) == report.OK() {
				t.Errorf("table %q, %v", table.String(), err)
			}
		})
	}
}

func TestRunAgainFindsAllThere(t *testing.T) {
	f := &fake{collections: map[string]bool{}, items: map[string]time.Time{}}
	server := httptest.NewServer(f)
	defer server.Close()
	for round := range 2 {
		report, err := Run(t.Context(), source(60), Options{Address: server.URL, Collection: "c"})
		if err != nil || !report.OK() || report.Existing != 60*round || report.New != (round == 0) {
			t.Errorf("round %d: %+v, %v", round, report, err)
		}
	}
}

func TestRunCannotBegin(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	closed := httptest.NewServer(&fake{noWrites: true})
	t.Cleanup(closed.Close)
	tests := map[string]struct {
		source  Source
		address string
		want    string
	}{
		"nobody listens":       {source(1), dead.URL, "is the API running there?"},
		"no address":           {source(1), "localhost:8090", "not an http URL"},
		"no transactions":      {source(1), closed.URL, "transactions switched on"},
		"no collection at all": {Source{Items: source(1).Items}, closed.URL, "transactions switched on"},
		"no items in a file":   {Source{Name: "a.json", Count: -1, Items: source(0).Items}, closed.URL, "items a.json: there is no item in it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := Run(t.Context(), tt.source, Options{Address: tt.address, Collection: "c"})
			if err == nil || !strings.Contains(err.Error(), tt.want) || report == nil {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	f := &fake{collections: map[string]bool{}, items: map[string]time.Time{}, noBulk: true}
	server := httptest.NewServer(f)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	report, err := Run(ctx, source(100_000), Options{Address: server.URL, Collection: "c", Progress: func(p Progress) {
		if p.Done > 50 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || report.Sent > 90_000 {
		t.Errorf("error %v after %d items", err, report.Sent)
	}
}

func TestErrorsOfOneKindAreOneRow(t *testing.T) {
	var r Report
	for i := range 200 {
		r.fail(400, fmt.Sprintf(`{"detail":"item 'i%d' is bad"}`, i), fmt.Sprint("i", i))
	}
	if len(r.Errors) != 1 || r.Errors[0].Count != 200 || r.Errors[0].Item != "i0" {
		t.Errorf("%+v", r.Errors)
	}
	for i := range 100 {
		r.fail(500, fmt.Sprint("kind ", i), "x")
	}
	sum := 0
	for _, e := range r.Errors {
		sum += e.Count
	}
	if len(r.Errors) != maxErrorRows || sum != 300 {
		t.Errorf("%d rows, %d errors", len(r.Errors), sum)
	}
}
