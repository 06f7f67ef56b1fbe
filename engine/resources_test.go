package engine

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

const page = `<html><head><link rel="stylesheet" href="style.css"><link rel=next href=/no><script src="/app.js?x=1#y"></script></head>
<body background=back.png><a href=/no>x</a><img src=a.png><img src="a.png"><img src="data:image/png;base64,xx"><iframe src=frame.html></iframe>
<img src="/gone.png"></body></html>`

func pageServer(t *testing.T) *seen {
	return newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/in/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		case "/gone.png":
			w.WriteHeader(404)
		default:
			w.Header().Set("Cache-Control", "max-age=60")
			fmt.Fprint(w, strings.Repeat("x", 1000))
		}
	})
}

func TestResourcesOfAPage(t *testing.T) {
	s := pageServer(t)
	snap := script(t, s, "    retrieve-resources: true\n    headers: {X-Own: mine}\n    requests: [{url: /in/page, label: page, assert: [html]}]\n")
	slices.Sort(s.got)
	wantSeen(t, s, "GET /app.js?x=1 X-Own=mine", "GET /gone.png X-Own=mine", "GET /in/a.png X-Own=mine", "GET /in/back.png X-Own=mine",
		"GET /in/frame.html X-Own=mine", "GET /in/page X-Own=mine", "GET /in/style.css X-Own=mine")
	total := snap.Total()
	if total.Finished != 1 || total.Failed != 1 || total.Exchanges != 7 || total.BytesIn < 5000 {
		t.Errorf("finished %d, failed %d, exchanges %d, bytes %d", total.Finished, total.Failed, total.Exchanges, total.BytesIn)
	}
	if e := snap.Errors(); len(e) == 0 || !slices.ContainsFunc(e, func(e metrics.ErrorText) bool { return strings.HasSuffix(e.Text, "/gone.png: status 404") }) {
		t.Errorf("errors: %+v", e)
	}
	var resources int64
	for _, row := range snap.Rows() {
		if row.Kind == metrics.ResourceKind {
			resources += row.Finished
		}
	}
	if resources != 6 {
		t.Errorf("%d samples of resources, want 6", resources)
	}
}

func TestResourcesThatAreWanted(t *testing.T) {
	for _, tt := range []struct {
		name, settings string
		want           []string
	}{
		{"off by default", "store-cookie: true", []string{"GET /in/page"}},
		{"by a pattern, one at a time", `retrieve-resources: true, retrieve-resources-regex: '.*\.(css|js\?.*)', concurrent-pool-size: 1`,
			[]string{"GET /in/page", "GET /in/style.css", "GET /app.js?x=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := pageServer(t)
			text := fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {default-address: %q, %s, requests: [/in/page]}}\n", s.URL, tt.settings)
			if snap := runPlan(t, compile(t, text), RunOptions{}); snap.Total().Failed != 0 {
				t.Errorf("failed: %+v", snap.Errors())
			}
			wantSeen(t, s, tt.want...)
		})
	}
	t.Run("what two pages share is fetched once", func(t *testing.T) {
		s := pageServer(t)
		script(t, s, `
    retrieve-resources: true
    retrieve-resources-regex: .*\.css
    requests: [/in/page, '/in/page?again']
`)
		wantSeen(t, s, "GET /in/page", "GET /in/style.css", "GET /in/page?again")
	})
}

func TestAddressesOfTheMachine(t *testing.T) {
	s := newSeen(t, nil)
	file := loadFile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {default-address: %q, random-source-ip: true, requests: [/]}}\n", s.URL))
	plan, list := Compile(file, Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	for _, a := range plan.targets[0].sources {
		if a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() {
			t.Errorf("%s is no address to come from", a)
		}
	}
	if diff := cmp.Diff(len(plan.targets[0].sources) > 0, plan.targets[0].key.spread); diff != "" {
		t.Error(diff)
	}
	if snap := runPlan(t, plan, RunOptions{}); snap.Total().Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
}
