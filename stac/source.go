package stac

import (
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/stacrun/stacrun/stac/item"
)

// Generated returns count generated items and their collection as a source for an ingest. "" stands for
// [item.DefaultCollection].
func Generated(seed uint64, collection string, count int) ingest.Source {
	g := item.New(seed, collection)
	return ingest.Source{
		Collection: g.CollectionJSON(count),
		Items: func(yield func([]byte, error) bool) {
			for text := range g.Items(0, count) {
				if !yield(text, nil) {
					return
				}
			}
		},
		Count: count,
	}
}
