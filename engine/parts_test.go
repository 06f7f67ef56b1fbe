package engine

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// partServer redirects /login twice, with packed bodies, and serves a page with two resources at /page.
func partServer(t *testing.T) *seen {
	return newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		moved := func(to, text string) {
			w.Header().Set("Location", to)
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusFound)
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, text)
			_ = z.Close()
		}
		switch r.URL.Path {
		case "/login":
			moved("/callback?code=c1", `{"n": 1, "who": "first"}`)
		case "/callback":
			moved("/home", `{"n": 2, "who": "second"}`)
		case "/home":
			fmt.Fprint(w, `{"n": 3, "who": "last"}`)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html><link rel="stylesheet" href="/a.css"><script src="/b.js"></script>id=1</html>`)
		case "/a.css":
			fmt.Fprint(w, "id=2")
		case "/b.js":
			fmt.Fprint(w, "id=3 id=4")
		}
	})
}

// Extractors see the answers besides the last one when they ask for them.
func TestExtractorScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, extract, url, want string }{
		{"without a scope only the last answer is searched", "extract-jsonpath: {v: $.n}", "/login", "3"},
		{"a redirect's body", "extract-jsonpath: {v: {jsonpath: $.n, scope: children}}", "/login", "1"},
		{"a redirect's header", `extract-regexp: {v: {regexp: "code=(\\w+)", subject: headers, scope: all}}`, "/login", "c1"},
		{"a redirect's URL", `extract-regexp: {v: {regexp: "code=(\\w+)", subject: url, scope: children}}`, "/login", "c1"},
		{"a redirect's header by name", "extract-header: {v: {header: Location, scope: children, match-no: 2}}", "/login", "/home"},
		{"a redirect's code", `extract-regexp: {v: {regexp: "(\\d+)", subject: http-code, scope: children}}`, "/login", "302"},
		{"what a redirect was asked", `extract-boundary: {v: {left: "Host: ", right: ":", subject: request-headers, scope: children, match-no: 3}}`, "/login", "127.0.0.1"},
		{"all begins with the last one", "extract-jsonpath: {v: {jsonpath: $.who, scope: all}}", "/login", "last"},
		{"all goes on with the first one", "extract-jsonpath: {v: {jsonpath: $.who, scope: all, match-no: 2}}", "/login", "first"},
		{"each counts once", "extract-jsonpath: {v: {jsonpath: $.n, scope: all, match-no: -1}}", "/login?v_matchNr", "3"},
		{"the children end with the last one", "extract-jsonpath: {v: {jsonpath: $.n, scope: children, match-no: 3}}", "/login", "3"},
		{"a request of one exchange has no children", "extract-jsonpath: {v: {jsonpath: $.n, scope: children, default: none}}", "/home", "none"},
		{"but it is a part of all", "extract-jsonpath: {v: {jsonpath: $.n, scope: all}}", "/home", "3"},
		{"resources in the order of the page", `extract-regexp: {v: {regexp: "id=(\\d)", scope: children, match-no: 3}}`, "/page", "3"},
		{"all of a page", `extract-regexp: {v: {regexp: "id=(\\d)", scope: all, match-no: 4}}`, "/page", "4"},
		{"what cannot be searched has no matches", "extract-jsonpath: {v: {jsonpath: $.n, scope: all, default: none}}", "/page", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := partServer(t)
			url, variable, found := strings.Cut(tt.url, "?")
			if !found {
				variable = "v"
			}
			snap := script(t, s, "    retrieve-resources: true\n    requests: [{url: "+url+", "+tt.extract+"}, '/seen?v=${"+variable+"}']\n")
			if total := snap.Total(); total.Failed != 0 {
				t.Errorf("failed: %+v", snap.Errors())
			}
			if last := s.got[len(s.got)-1]; last != "GET /seen?v="+tt.want {
				t.Errorf("got %q, want %s", last, tt.want)
			}
		})
	}
}

// Values of one iteration are not those of the iteration before, and a request that keeps nothing keeps nothing.
func TestExtractorScopes_again(t *testing.T) {
	t.Parallel()
	var times atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch first := times.Add(1) == 1; {
		case r.URL.Path == "/a" && first:
			http.Redirect(w, r, "/b?n=1", http.StatusFound)
		case r.URL.Path == "/b":
			fmt.Fprint(w, "b")
		}
	}))
	t.Cleanup(s.Close)
	plan := compile(t, fmt.Sprintf(`
execution: [{scenario: s, iterations: 2}]
scenarios:
  s:
    default-address: %q
    requests: [{url: /a, extract-regexp: {v: {regexp: 'n=(\d)', subject: headers, scope: all}}}, {url: /c, label: c}]
`, s.URL))
	snap := runPlan(t, plan, RunOptions{})
	if e := snap.Errors(); snap.Total().Failed != 1 || len(e) != 1 || !strings.Contains(e[0].Text, "found nothing") {
		t.Errorf("failed %d: %+v; the second answer of /a had no redirect", snap.Total().Failed, e)
	}
	var asks []bool
	for _, step := range plan.executions[0].script {
		if r, ok := step.(*request); ok {
			asks = append(asks, r.keepParts)
		}
	}
	if len(asks) != 2 || !asks[0] || asks[1] {
		t.Errorf("keepParts is %v, want only the request that searches them", asks)
	}
}

func TestExtractorScopeWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, keys string
		want       string
	}{
		{"nothing is followed", "follow-redirects: false, extract-header: {v: {header: a, scope: children}}", "no-effect"},
		{"all has the answer itself", "follow-redirects: false, extract-header: {v: {header: a, scope: all}}", ""},
		{"redirects are followed", "extract-header: {v: {header: a, scope: children}}", ""},
		{"resources are fetched", "follow-redirects: false, retrieve-resources: true, extract-header: {v: {header: a, scope: children}}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scenario, request := "", tt.keys
			if strings.Contains(tt.keys, "retrieve-resources: true, ") {
				scenario, request = "retrieve-resources: true, ", strings.Replace(tt.keys, "retrieve-resources: true, ", "", 1)
			}
			_, list := Compile(loadFile(t, "execution: [{scenario: s}]\nscenarios: {s: {"+scenario+"requests: [{url: 'http://localhost/', "+request+"}]}}\n"), Options{})
			if (tt.want == "") != (len(list) == 0) || len(list) > 0 && list[0].Code != tt.want {
				t.Errorf("got %s", describe(list))
			}
		})
	}
}
