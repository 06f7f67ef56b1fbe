package stac

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/item"
)

// fillBatch is how many items are handed to a store at once.
const fillBatch = 500

// Fill puts generated items first … first+count-1 and their collection into a store. A collection and
// items that exist already stay as they are. "" stands for [item.DefaultCollection].
func Fill(ctx context.Context, store api.Store, seed uint64, collection string, count int) error {
	g := item.New(seed, collection)
	c, err := api.ParseCollection(g.CollectionJSON(count))
	if err != nil {
		return err
	}
	if err := store.PutCollection(ctx, c, api.Create); err != nil && !isConflict(err) {
		return err
	}
	batch := make([]*api.Item, 0, fillBatch)
	flush := func() error {
		_, err := store.PutItems(ctx, g.Collection(), batch, api.CreateMissing)
		batch = batch[:0]
		return err
	}
	for text := range g.Items(0, count) {
		it, err := api.ParseItem(text, g.Collection())
		if err != nil {
			return fmt.Errorf("generated item: %w", err)
		}
		if batch = append(batch, it); len(batch) == fillBatch {
			if err := flush(); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func isConflict(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && e.Status == http.StatusConflict
}
