package api

import "context"

// Mode tells what a write expects to find.
type Mode uint8

const (
	// Create refuses what exists; nothing is written then.
	Create Mode = iota
	// CreateMissing leaves what exists as it is.
	CreateMissing
	// Replace refuses what does not exist.
	Replace
	// Upsert writes in any case.
	Upsert
)

// Store keeps collections and items. Its methods may be called by many goroutines; a write is seen by
// every read that begins after it has returned. What does not exist or exists already is an [Error].
type Store interface {
	// Collections returns all collections by id.
	Collections(ctx context.Context) ([]*Collection, error)
	Collection(ctx context.Context, id string) (*Collection, error)
	// PutCollection writes a collection; Mode is Create or Replace.
	PutCollection(ctx context.Context, c *Collection, mode Mode) error
	// DeleteCollection removes a collection and its items.
	DeleteCollection(ctx context.Context, id string) error

	Item(ctx context.Context, collection, id string) (*Item, error)
	// PutItems writes items of one collection, all or none; of two with the same id the later one counts.
	// skipped lists the ids that CreateMissing left alone.
	PutItems(ctx context.Context, collection string, items []*Item, mode Mode) (skipped []string, err error)
	DeleteItem(ctx context.Context, collection, id string) error
	Search(ctx context.Context, s *Search) (Page, error)
	// Count returns the number of items in a collection.
	Count(ctx context.Context, collection string) (int, error)
	Close() error
}

// countBudget is how many items more than the page needs are looked at, to count the hits.
const countBudget = 5000
