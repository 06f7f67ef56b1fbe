package ingest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// send posts all items, or those that are missing.
func (r *run) send(ctx context.Context) error {
	size := r.Batch
	if r.NoBulk && !r.Resume && r.engine == nil {
		size = 1
	}
	bad := func(n int, err error) {
		r.update(func(report *Report) {
			report.Failed++
			report.fail(0, "not sent: "+err.Error(), "")
			r.settle(piece{n: n})
		})
	}
	return r.each(ctx, size, bad, func(ctx context.Context, batch []piece) {
		if r.Resume {
			batch = r.missing(ctx, batch)
		}
		switch {
		case len(batch) == 0 || ctx.Err() != nil:
		case r.engine != nil:
			r.sendDirect(ctx, batch)
		case r.bulk.Load() == bulkRefused || !r.sendBulk(ctx, batch):
			for _, p := range batch {
				r.sendOne(ctx, p)
			}
		}
		r.tell(false)
	})
}

// sendBulk posts a batch at once and reports whether the answer accounts for every item of it. Where it
// does not (no such route, or a batch that fails as a whole for one item), the items go one by one, so
// that each gets an answer of its own; those that the bulk had added then exist.
func (r *run) sendBulk(ctx context.Context, batch []piece) bool {
	body := []byte(`{"method":"insert","items":{`)
	for i, p := range batch {
		if i > 0 {
			body = append(body, ',')
		}
		id, err := json.Marshal(p.id)
		if err != nil {
			return false
		}
		body = append(append(append(body, id...), ':'), p.text...)
	}
	body = append(body, "}}"...)
	a, err := r.client.do(ctx, http.MethodPost, r.path+"/bulk_items", body)
	if err != nil {
		return false
	}
	switch a.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		r.bulk.CompareAndSwap(bulkUnknown, bulkRefused)
		return false
	}
	r.bulk.CompareAndSwap(bulkUnknown, bulkOffered)
	created, existing, complete := readBulk(a, len(batch))
	if !complete {
		return false
	}
	r.update(func(report *Report) {
		report.Sent += len(batch)
		report.Created += created
		report.Existing += existing
		report.Bytes += int64(len(body))
	})
	return true
}

// readBulk reads the answer to a bulk request: {"received", "success", "skipped", "errors"}, in which
// skipped and errors are lists or numbers, or a sentence such as "Successfully added 50 items.". A status of
// success alone says nothing: it may list failures.
func readBulk(a answer, size int) (created, existing int, complete bool) {
	if a.status != http.StatusOK && a.status != http.StatusCreated || !gjson.ValidBytes(a.body) {
		return 0, 0, false
	}
	root := gjson.ParseBytes(a.body)
	if !root.IsObject() {
		// A sentence does not say enough unless it names the whole number.
		added, err := strconv.Atoi(firstNumber(root.String()))
		return added, 0, err == nil && added == size
	}
	number := func(key string) int {
		v := root.Get(key)
		if v.IsArray() {
			return len(v.Array())
		}
		return int(v.Int())
	}
	created, existing = number("success"), number("skipped")
	return created, existing, created+existing == size && number("errors") == 0
}

// firstNumber returns the first run of digits.
func firstNumber(s string) string {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	s = s[max(0, strings.IndexFunc(s, isDigit)):]
	if end := strings.IndexFunc(s, func(r rune) bool { return !isDigit(r) }); end >= 0 {
		s = s[:end]
	}
	return s
}

// sendOne posts one item.
func (r *run) sendOne(ctx context.Context, p piece) {
	a, err := r.client.do(ctx, http.MethodPost, r.path+"/items", p.text)
	if ctx.Err() != nil {
		return
	}
	r.update(func(report *Report) {
		report.Bytes += int64(len(p.text))
		switch {
		case err != nil:
			r.count(report, p, 0, err.Error())
		default:
			r.count(report, p, a.status, a.text())
		}
	})
}

// count notes what became of one item; the caller holds mu. Status 0: there was no answer.
func (r *run) count(report *Report, p piece, status int, text string) {
	report.Sent++
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
		report.Created++
	case http.StatusConflict:
		report.Existing++
	default:
		report.Failed++
		report.fail(status, text, p.id)
		r.settle(p)
	}
}
