package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProxy(t *testing.T) {
	var mu sync.Mutex
	var got []string
	through := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		if strings.HasSuffix(r.RequestURI, "/moved") {
			http.Redirect(w, r, "/new", http.StatusFound)
		}
	}))
	defer through.Close()
	direct := newSeen(t, nil)
	host, port, _ := strings.Cut(strings.TrimPrefix(through.URL, "http://"), ":")
	text := func(more string) string {
		return fmt.Sprintf(`
execution: [{scenario: s}]
modules: {jmeter: {system-properties: {http.proxyHost: %s, http.proxyPort: %s, http.proxyUser: u, http.proxyPass: p, http.nonProxyHosts: 'localhost|127.*', %s}}}
scenarios:
  s:
    default-address: http://api.example:81
    variables: {v: x, all: 'http://other.example/y'}
    requests: [/a, '/b?c=${v}', {url: /moved}, '${all}', %q]
    follow-links: as-given
`, host, port, more, direct.URL+"/d")
	}
	snap := runPlan(t, compile(t, text("a: b")), RunOptions{})
	if snap.Total().Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
	const by = " Basic dTpw"
	want := []string{
		"GET http://api.example:81/a api.example:81" + by, "GET http://api.example:81/b?c=x api.example:81" + by,
		"GET http://api.example:81/moved api.example:81" + by, "GET http://api.example:81/new api.example:81" + by,
		"GET http://other.example/y other.example" + by,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the proxy saw (-want +got):\n%s", diff)
	}
	wantSeen(t, direct, "GET /d")
	got2 := mistakes(t, strings.Replace(text("https.proxyHost: h"), "[/a,", "['https://secure.example/',", 1))
	if !strings.Contains(got2, "not-supported") || !strings.Contains(got2, "https://secure.example") {
		t.Errorf("got %q, want an error", got2)
	}
}
