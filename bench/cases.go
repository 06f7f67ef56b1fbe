package main

import (
	"bytes"
	"fmt"
	"strings"
)

// workload is one kind of request that all tools make.
type workload struct {
	Name    string
	About   string
	Path    string
	Body    func() []byte // of a POST; nil: GET
	Bulk    bool          // the body is bulk's: stacrun templates the names of its documents and checks the answer; the peers send the same bytes each time
	TLS     bool          // https, certificate not verified
	Close   bool          // a connection for each request
	Vary    bool          // stacrun templates the query and checks the status; the peers send the same GET each time
	Rich    bool          // stacrun templates, extracts and asserts; the peers, which cannot, send a plain GET for the same bytes
	Divide  int           // sends the requested number divided by this
	GoOnly  bool          // nginx cannot answer it
	Against map[string]float64
}

// workloads are the cases, with the ratios that stacrun must hold against its peers.
func workloads() []workload {
	plain := map[string]float64{"wrk": 1.15, "bombardier": 1.0, "hey": 0.45, "vegeta": 0.4, "jmeter": 1.0 / 8}
	rich := map[string]float64{"wrk": 1.25, "bombardier": 1.0, "hey": 0.45, "vegeta": 0.4, "jmeter": 1.0 / 8}
	return []workload{
		{Name: "plain", About: "GET of 1 kB, keep-alive, one label", Path: "/1k", Divide: 1, Against: plain},
		{Name: "varied", About: "GET of 1 kB: templated query, status checked", Path: "/1k", Divide: 1, Vary: true, Against: map[string]float64{"wrk": 1.25, "hey": 0.5}},
		{Name: "rich", About: "GET of a 12 kB item: templated path and query, status, substring and JSON path checked", Path: "/items/1", Divide: 1, Rich: true, Against: rich},
		{Name: "large", About: "GET of 10 MB", Path: "/10m", Divide: 200},
		{Name: "upload", About: "POST of 100 kB", Path: "/echo", Body: func() []byte { return bytes.Repeat([]byte("x"), 100_000) }, Divide: 10, GoOnly: true},
		{Name: "bulk", About: "POST of 20 items as NDJSON (200 kB): their names templated, status and answer checked", Path: "/bulk", Body: func() []byte { return bulk("fixed") }, Bulk: true, Divide: 20, GoOnly: true},
		{Name: "tls", About: "GET of 1 kB over TLS 1.3, keep-alive", Path: "/1k", TLS: true, Divide: 1},
		{Name: "connect", About: "GET of 1 kB, a connection for each request", Path: "/1k", Close: true, Divide: 5},
	}
}

func caseNames() []string {
	var names []string
	for _, w := range workloads() {
		names = append(names, w.Name)
	}
	return names
}

func caseNamed(name string) (workload, error) {
	for _, w := range workloads() {
		if w.Name == name {
			return w, nil
		}
	}
	return workload{}, fmt.Errorf("no case %q: there are %s", name, strings.Join(caseNames(), ", "))
}

// documents are the bodies that both servers give, by path.
func documents() map[string][]byte {
	return map[string][]byte{
		"/1k":      bytes.Repeat([]byte("0123456789abcde\n"), 64),
		"/10m":     bytes.Repeat([]byte("0123456789abcde\n"), 10<<20/16),
		"/items/1": item(),
		"/bulk":    []byte(`{"took":7,"errors":false,"items":[]}`),
	}
}

// bulk is a body for a search engine's _bulk: 20 items, each behind a line that names it.
func bulk(name string) []byte {
	var b bytes.Buffer
	for range 20 {
		fmt.Fprintf(&b, `{"index":{"_index":"items","_id":"%s"}}`+"\n%s\n", name, item())
	}
	return b.Bytes()
}

// item is a body of about 12 kB such as a STAC API gives.
func item() []byte {
	var b strings.Builder
	b.WriteString(`{"type":"Feature","stac_version":"1.0.0","id":"S2B_31UFT_20260601_0_L2A","collection":"test-collection","geometry":{"type":"Polygon","coordinates":[[`)
	for i := range 120 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "[%.6f,%.6f]", 4.1+float64(i)/997, 51.2+float64(i)/1009)
	}
	b.WriteString(`]]},"assets":{`)
	for i := range 24 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"B%02d":{"href":"https://data.example/sentinel-s2-l2a-cogs/31/U/FT/2026/6/S2B_31UFT_20260601_0_L2A/B%02d.tif","type":"image/tiff; application=geotiff; profile=cloud-optimized","roles":["data"],"eo:bands":[{"name":"B%02d","common_name":"band %d","center_wavelength":0.%03d}],"gsd":10,"proj:shape":[10980,10980]}`, i, i, i, i, 400+i*13)
	}
	b.WriteString(`},"properties":{"datetime":"2026-06-01T10:56:19Z","platform":"sentinel-2b","eo:cloud_cover":12.34,"proj:epsg":32631}}`)
	return []byte(b.String())
}
