package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

// item is a body of about 12 kB with a field at its very end.
func item() string {
	var b strings.Builder
	b.WriteString(`{"id":"S2A_1","properties":{"eo:cloud_cover":12.5},"assets":{`)
	for i := range 60 {
		fmt.Fprintf(&b, `"band%02d":{"href":"https://example.org/tiles/%d/B%02d.tif","type":"image/tiff; application=geotiff","roles":["data"],"title":"Band %d \"quoted\""},`, i, i, i, i)
	}
	b.WriteString(`"last":{}},"links":[{"rel":"self","href":"/s"},{"rel":"next","href":"/n"}],"end":true}`)
	return b.String()
}

func BenchmarkJSONPath(b *testing.B) {
	body := []byte(item())
	for _, path := range []struct{ name, text string }{
		{"scan_early", "$.id"}, {"scan_nested", "$.properties.eo:cloud_cover"}, {"scan_late", "$.end"}, {"scan_late_index", "$.links[1].href"},
		{"decode_filter", "$.links[?@.rel=='next'].href"}, {"scan_all", "$.links[*].rel"},
	} {
		b.Run(path.name, func(b *testing.B) {
			x, _ := Compile(Spec[int]{Query: fixed(path.text)})
			var res Result
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				r := Response{Body: body}
				_ = x.Extract(&r, 0, nil, &res)
			}
			if !res.Matched {
				b.Fatal("nothing found")
			}
		})
	}
}

func BenchmarkRegexp(b *testing.B) {
	body := []byte(item())
	for _, engine := range []string{"re2", "backtracking"} {
		b.Run(engine, func(b *testing.B) {
			x, _ := Compile(Spec[int]{Kind: KindRegexp, Query: fixed(`"rel":"next","href":"([^"]+)"`), Engine: engine})
			var res Result
			b.ReportAllocs()
			for b.Loop() {
				r := Response{Body: body}
				_ = x.Extract(&r, 0, nil, &res)
			}
		})
	}
}

// A plain path costs the copy of its value, whatever the size of the body.
func TestScanAllocatesLittle(t *testing.T) {
	x, _ := Compile(Spec[int]{Query: fixed("$.links[1].href")})
	r := Response{Body: []byte(item())}
	var res Result
	if n := weigh.Allocations(t, 100, func() { _ = x.Extract(&r, 0, nil, &res) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
