package engine

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

// Links that name other hosts are followed at the scenario's own address, and each such host is told of once.
func TestRewrittenLinksAreToldOnce(t *testing.T) {
	d := dryRun(t, `
execution: [{concurrency: 3, iterations: 7, scenario: s}]
scenarios:
  s:
    default-address: http://fake
    variables: {links: ["http://seen-0.test/a", "http://seen-1.test/b", "http://seen-2.test/c"]}
    requests:
    - foreach: link in links
      do: [{url: "${link}", label: link}]
`, nil, nil)
	if total := d.Total(); total.Finished != 63 || total.Failed != 0 {
		t.Errorf("%d finished, %d failed", total.Finished, total.Failed)
	}
	told := map[string]int{}
	for _, e := range d.events {
		if strings.HasPrefix(e, "warning: s: links to ") {
			told[e]++
		}
	}
	for i := range 3 {
		if text := fmt.Sprintf("warning: s: links to http://seen-%d.test are followed at http://fake (follow-links: rewrite)", i); told[text] != 1 {
			t.Errorf("told %v, want once: %s", told, text)
		}
	}
	if len(told) != 3 {
		t.Errorf("told of %v", told)
	}
}

// A link to a host that is known costs neither an allocation nor a lock, however many users follow it.
func TestLinksToKnownHostsAllocateNothing(t *testing.T) {
	weigh.Exact(t)
	u := lone(t, "execution: [{scenario: s}]"+oneRequest)
	x, own := u.run, location{scheme: "http", host: "fake", port: "80", target: "/"}
	link := location{scheme: "http", host: "other", port: "80", target: "/a"}
	x.rewritten(&link, &own)
	if n := weigh.Allocations(t, 100, func() { x.rewritten(&link, &own) }); n != 0 {
		t.Errorf("%v allocations for a host that was told of", n)
	}
	settings := new(tlsSettings)
	for _, l := range []*location{&own, &link} {
		if n := weigh.Allocations(t, 100, func() { x.engine.targetAt(l, settings) }); n != 0 {
			t.Errorf("%v allocations for the target %s", n, l.origin())
		}
	}
}

// Links to hosts without end are followed by many users at once; what is kept and told of them is bounded.
func TestLinksToHostsWithoutEnd(t *testing.T) {
	u := lone(t, "execution: [{scenario: s}]"+oneRequest)
	x, own := u.run, location{scheme: "http", host: "fake", port: "80", target: "/"}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 500 {
				x.rewritten(&location{scheme: "http", host: fmt.Sprint("host", n*i), port: "80"}, &own)
			}
		})
	}
	all.Wait()
	if n := len(*x.rewrites.Load()); n > maxWarnings {
		t.Errorf("%d hosts are kept", n)
	}
	events := 0
	for _, e := range x.engine.collector.Swap(0).Events {
		if e.Kind == "warning" {
			events++
		}
	}
	if events > maxWarnings || events == 0 {
		t.Errorf("%d warnings", events)
	}
}
