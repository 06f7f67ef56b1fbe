package engine

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cachingServer answers as the path says, and tells 304 where the validator fits.
func cachingServer(t *testing.T) *seen {
	return newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/fresh"):
			w.Header().Set("Cache-Control", "max-age=60")
		case strings.HasPrefix(r.URL.Path, "/expires"):
			w.Header().Set("Expires", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		case strings.HasPrefix(r.URL.Path, "/etag"):
			w.Header().Set("ETag", `"v1"`)
		case strings.HasPrefix(r.URL.Path, "/dated"):
			w.Header().Set("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
			w.Header().Set("Cache-Control", "no-cache")
		case strings.HasPrefix(r.URL.Path, "/never"):
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Cache-Control", "no-store, max-age=60")
		case strings.HasPrefix(r.URL.Path, "/varies"):
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Vary", "X-Own")
		}
		if r.Header.Get("If-None-Match") == `"v1"` || r.Header.Get("If-Modified-Since") == "Wed, 21 Oct 2015 07:28:00 GMT" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, "body")
	})
}

func TestCache(t *testing.T) {
	tests := []struct {
		name, text string
		sent       int64 // exchanges
		unchanged  int64 // 304
	}{
		{"fresh by max-age", "requests: [{loop: 3, do: [/fresh]}]", 1, 0},
		{"fresh by Expires", "requests: [/expires, /expires]", 1, 0},
		{"fresh for each URL", "variables: {v: 1}\n    requests: [{loop: 2, do: ['/fresh/${v}', '/fresh/x']}]", 2, 0},
		{"asked again by ETag", "requests: [{loop: 3, do: [/etag]}]", 3, 2},
		{"asked again by date", "requests: [{loop: 3, do: ['/dated?${__time(YMD)}']}]", 3, 2},
		{"not to be kept", "requests: [{loop: 3, do: [/never]}]", 3, 0},
		{"other header lines", "requests: [/varies, {url: /varies, headers: {X-Own: a}}, {url: /varies, headers: {X-Own: a}}]", 2, 0},
		{"a change of the resource", "requests: [/fresh, {url: /fresh, method: PUT, body: x}, /fresh]", 3, 0},
		{"an answer that is read is always asked for", "requests: [{loop: 2, do: [{url: /fresh, assert: [body]}]}]", 2, 0},
		{"the file's own conditions", "requests: [{loop: 2, do: [{url: /fresh, headers: {Cache-Control: no-cache}}]}]", 2, 0},
		{"switched off", "store-cache: false\n    requests: [{loop: 3, do: [/fresh]}]", 3, 0},
		{"in parallel", "requests: [/fresh, {parallel: [/fresh, /fresh]}]", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := cachingServer(t)
			snap := script(t, s, "    "+tt.text+"\n")
			total := snap.Total()
			if total.Failed != 0 || total.Exchanges != tt.sent || s.hits.Load() != tt.sent || total.Codes[304] != tt.unchanged {
				t.Errorf("failed %d, exchanges %d, server %d, 304 %d; want 0, %d, %d, %d: %+v", total.Failed, total.Exchanges, s.hits.Load(), total.Codes[304], tt.sent, tt.sent, tt.unchanged, snap.Errors())
			}
		})
	}
	t.Run("emptied with each iteration", func(t *testing.T) {
		s := cachingServer(t)
		runPlan(t, compile(t, fmt.Sprintf("execution: [{concurrency: 2, iterations: 3, scenario: s}]\nscenarios: {s: {default-address: %q, requests: [/fresh, /fresh]}}\n", s.URL)), RunOptions{})
		if got := s.hits.Load(); got != 6 {
			t.Errorf("%d requests, want one for each iteration of each user", got)
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	var c cache
	for i := range 3 * cacheEntries {
		c.put(fmt.Sprint(i), &cached{})
	}
	if len(c.entries) != cacheEntries || len(c.order) != cacheEntries || c.entries["0"] != nil || c.entries[fmt.Sprint(3*cacheEntries-1)] == nil {
		t.Errorf("%d entries, %d in order", len(c.entries), len(c.order))
	}
}

func TestFreshness(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name, head string
		want       time.Duration
	}{
		{"max-age wins over Expires", "Cache-Control: public, max-age=60\r\nExpires: 0", time.Minute},
		{"less its age", "Cache-Control: max-age=60\r\nAge: 20", 40 * time.Second},
		{"Expires counts from Date", "Date: Thu, 01 Jan 2026 10:00:00 GMT\r\nExpires: Thu, 01 Jan 2026 10:05:00 GMT", 5 * time.Minute},
		{"the past", "Expires: 0", 0},
		{"no-cache", "Cache-Control: no-cache, max-age=60", 0},
		{"for ever", "Cache-Control: max-age=99999999999999999999", (1 << 31) * time.Second},
		{"before all time", "Cache-Control: max-age=-99999999999999999999", 0},
		{"nonsense", "Cache-Control: max-age=soon", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, _, said := cachedOf([]byte("HTTP/1.1 200 OK\r\n"+tt.head+"\r\n\r\n"), now)
			got := time.Duration(0)
			if !e.until.IsZero() {
				got = e.until.Sub(now)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !said {
				t.Errorf("said %v: %s", said, diff)
			}
		})
	}
}
