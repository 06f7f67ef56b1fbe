package stac

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/tidwall/gjson"
)

// fillBatch is how many items are handed to a store at once.
const fillBatch = 500

// Fill puts a source straight into a store. A collection and items that exist already stay as they are.
// collection is the id that both get; "" keeps that of the collection document.
func Fill(ctx context.Context, store api.Store, source ingest.Source, collection string) error {
	if collection == "" {
		collection = gjson.GetBytes(source.Collection, "id").String()
	}
	if source.Collection != nil {
		document, err := ingest.PrepareCollection(source.Collection, collection)
		if err != nil {
			return err
		}
		c, err := api.ParseCollection(document)
		if err != nil {
			return err
		}
		if err := store.PutCollection(ctx, c, api.Create); err != nil && !isConflict(err) {
			return err
		}
	}
	if _, err := store.Collection(ctx, collection); err != nil {
		return fmt.Errorf("%w: put a collection document beside the items", err)
	}
	batch := make([]*api.Item, 0, fillBatch)
	flush := func() error {
		_, err := store.PutItems(ctx, collection, batch, api.CreateMissing)
		batch = batch[:0]
		return errors.Join(err, ctx.Err())
	}
	for text, err := range source.Items {
		if err != nil {
			return err
		}
		text, id, err := ingest.PrepareItem(text, collection)
		if err != nil {
			return err
		}
		it, err := api.ParseItem(text, collection)
		if err != nil {
			return fmt.Errorf("item %q: %w", id, err)
		}
		if batch = append(batch, it); len(batch) == fillBatch {
			if err := flush(); err != nil {
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
