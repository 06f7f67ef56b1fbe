package ingest

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestResumeSendsWhatIsMissing(t *testing.T) {
	for _, search := range []bool{true, false} {
		f := &fake{collections: map[string]bool{"c": true}, items: map[string]time.Time{}, noSearch: !search}
		server := httptest.NewServer(f)
		defer server.Close()
		if _, err := Run(t.Context(), source(130), Options{Address: server.URL, Collection: "c", NoBulk: true}); err != nil {
			t.Fatal(err)
		}
		f.posts, f.bulks = 0, 0
		delete(f.items, "i7") // as if it had not come that far
		report, err := Run(t.Context(), source(200), Options{Address: server.URL, Collection: "c", NoBulk: true, Resume: true, Wait: 20 * time.Second})
		if err != nil || !report.OK() {
			t.Fatalf("%v, %+v", err, report)
		}
		got := [...]int{report.Found, report.Existing, report.Created, report.Sent, report.Verified, f.posts}
		if want := [...]int{129, 129, 71, 71, 200, 71}; got != want {
			t.Errorf("search %v: found, existing, created, sent, verified, posts: %v, want %v", search, got, want)
		}
	}
}

func TestBits(t *testing.T) {
	var b bits
	for _, n := range []int{0, 63, 64, 1000} {
		if b.has(n) {
			t.Errorf("%d is there already", n)
		}
		b.add(n)
		if !b.has(n) || b.has(n+1) {
			t.Errorf("after %d: %v", n, b)
		}
	}
}
