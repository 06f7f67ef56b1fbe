package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// verifyBatch is how many ids are asked for in one search.
const verifyBatch = 50

// verify reads back every item that was accepted, by id. Those that do not show are asked for again until
// the wait is over; it begins when the last item was sent, since stores refresh on their own time.
func (r *run) verify(ctx context.Context) error {
	v := &verifier{run: r, deadline: time.Now().Add(r.Wait)}
	known := func(int, error) {} // sending has told of it
	err := r.each(ctx, verifyBatch, known, func(ctx context.Context, batch []piece) {
		v.check(ctx, ids(r.unsettled(batch)))
		r.tell(true)
	})
	if err != nil {
		return err
	}
	return v.fault
}

type verifier struct {
	*run
	deadline time.Time

	faultMu sync.Mutex
	fault   error // guarded by faultMu; the API could not be asked
}

// check waits for the ids and reports those that do not show.
func (v *verifier) check(ctx context.Context, ids []string) {
	for delay := 50 * time.Millisecond; len(ids) > 0; delay = min(2*delay, time.Second) {
		found, err := v.find(ctx, ids)
		if err != nil {
			v.faultMu.Lock()
			if v.fault == nil && ctx.Err() == nil {
				v.fault = fmt.Errorf("read back from %s: %w", v.Address, err)
			}
			v.faultMu.Unlock()
			return
		}
		missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id] })
		v.update(func(report *Report) { report.Verified += len(ids) - len(missing) })
		ids = missing
		if len(ids) == 0 {
			return
		}
		if time.Now().Add(delay).After(v.deadline) || waitFor(ctx, delay) != nil {
			break
		}
	}
	v.update(func(report *Report) {
		report.Missing += len(ids)
		for _, id := range ids {
			report.fail(http.StatusNotFound, "accepted, but could not be read back within "+v.Wait.String(), id)
		}
	})
}

// find asks which of the ids the collection has.
func (r *run) find(ctx context.Context, ids []string) (map[string]bool, error) {
	if r.byItem.Load() {
		return r.findOneByOne(ctx, ids)
	}
	body, err := json.Marshal(map[string]any{
		"collections": []string{r.Collection}, "ids": ids, "limit": len(ids),
		"fields": map[string]any{"include": []string{"id", "collection"}, "exclude": []string{"assets", "links"}},
	})
	if err != nil {
		return nil, err
	}
	a, err := r.client.do(ctx, http.MethodPost, "/search", body)
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK || !gjson.ValidBytes(a.body) {
		r.byItem.Store(true)
		return r.findOneByOne(ctx, ids)
	}
	found := map[string]bool{}
	for _, feature := range gjson.GetBytes(a.body, "features").Array() {
		if owner := feature.Get("collection"); !owner.Exists() || owner.String() == r.Collection {
			found[feature.Get("id").String()] = true
		}
	}
	return found, nil
}

func (r *run) findOneByOne(ctx context.Context, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	for _, id := range ids {
		a, err := r.client.do(ctx, http.MethodGet, r.path+"/items/"+url.PathEscape(id), nil)
		if err != nil {
			return nil, err
		}
		found[id] = a.status == http.StatusOK
	}
	return found, nil
}
