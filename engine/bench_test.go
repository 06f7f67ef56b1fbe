package engine

import (
	"fmt"
	"testing"

	"github.com/stacrun/stacrun/engine/wire"
)

// instant answers at once: what is left is the engine's own work.
type instant struct{ clock Clock }

func (c *instant) Do(_ *wire.Request, resp *wire.Response) {
	start := c.clock.Now()
	*resp = wire.Response{Status: 200, Head: instantHead, Body: instantBody, BytesIn: 1200, BytesOut: 80, Exchanges: 1}
	end := c.clock.Now()
	resp.Timing = wire.Timing{Start: start, DNS: start, Connected: start, TLS: start, Sent: start, FirstByte: end, End: end}
}

func (c *instant) Abort() {}
func (c *instant) Close() {}

var (
	instantHead = []byte("HTTP/1.1 200 OK\r\nServer: test\r\nDate: Tue, 01 Dec 2026 12:00:00 GMT\r\nContent-Type: application/geo+json\r\nContent-Length: 40\r\n\r\n")
	instantBody = []byte(`{"type":"FeatureCollection","features":[]}`)
)

// BenchmarkIteration is the whole path of a user but for the exchange itself, which costs some 15 µs on loopback.
func BenchmarkIteration(b *testing.B) {
	for _, bb := range []struct{ name, requests string }{
		{"static", "[/a]"},
		{"templates", `[{url: "/items/${__Random(1,1000)}?k=${k}", label: item}]`},
		{"substring", `[{url: /a, assert: [{contains: features, regexp: false}]}]`},
		{"jsonpath", `[{url: /a, extract-jsonpath: {kind: $.type}}]`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			e := New(compile(b, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {variables: {k: v}, default-address: 'http://h', requests: %s}}\n", bb.requests)), RunOptions{})
			e.clock = NewClock()
			e.opts.Connect = func(string) Connection { return &instant{e.clock} }
			e.connectTargets()
			x := e.running[0]
			x.endAt = 1<<63 - 1
			x.begin()
			u := x.newUser(0, x.gate)
			b.ReportAllocs()
			for b.Loop() {
				u.oneIteration()
			}
		})
	}
}
