package ingest

import (
	"context"
	"sync"
)

// piece is an item on its way.
type piece struct {
	n    int // its place in the source
	id   string
	text []byte
}

// each hands out the items of the source in batches, as many at a time as the throttle lets go; bad is told of documents
// that are no items. A batch is made when it may go, so that no more of them are in memory than in flight.
func (r *run) each(ctx context.Context, size int, bad func(n int, err error), work func(context.Context, []piece)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	defer workers.Wait()
	var batch []piece
	hand := func() error {
		if err := r.throttle.acquire(ctx); err != nil {
			return err
		}
		full := batch
		batch = nil
		workers.Go(func() {
			defer r.throttle.release()
			work(ctx, full)
		})
		return nil
	}
	n := -1
	for text, err := range r.source.Items {
		if err != nil {
			return err
		}
		n++
		text, id, err := PrepareItem(text, r.Collection)
		if err != nil {
			bad(n, err)
			continue
		}
		if batch = append(batch, piece{n, id, text}); len(batch) >= size {
			if err := hand(); err != nil {
				return err
			}
		}
	}
	if len(batch) > 0 {
		if err := hand(); err != nil {
			return err
		}
	}
	workers.Wait()
	return ctx.Err()
}

// bits is a set of places in the source: a bit each, whatever the ids are.
type bits []uint64

func (b *bits) add(n int) {
	for n/64 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n int) bool { return n/64 < len(b) && b[n/64]&(1<<(n%64)) != 0 }

// settle takes items out of what is to be read back; the caller holds mu.
func (r *run) settle(pieces ...piece) {
	for _, p := range pieces {
		r.settled.add(p.n)
	}
}

// unsettled returns those of a batch that are still to be read back.
func (r *run) unsettled(batch []piece) []piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rest []piece
	for _, p := range batch {
		if !r.settled.has(p.n) {
			rest = append(rest, p)
		}
	}
	return rest
}
