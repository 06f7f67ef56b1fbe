package stac

import (
	"testing"

	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/item"
)

func BenchmarkParseItem_generated(b *testing.B) {
	text := item.New(1, "").Append(nil, 0)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := api.ParseItem(text, item.DefaultCollection); err != nil {
			b.Fatal(err)
		}
	}
}
