package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
)

// Defaults of [Options].
const (
	DefaultParallel = 8
	DefaultBatch    = 50
	DefaultWait     = 60 * time.Second
	DefaultTimeout  = 60 * time.Second
)

// Options of an ingest; the zero value of a field stands for its default.
type Options struct {
	Address    string // base URL of the API
	Collection string // id that collection and items get; "": that of the collection document
	Parallel   int    // requests at a time
	NoBulk     bool   // never use bulk_items
	Batch      int    // items in one bulk request
	Wait       time.Duration
	Timeout    time.Duration // of one request
	Header     http.Header   // sent with every request, such as Authorization
	Transport  http.RoundTripper
	Progress   func(Progress) // called now and then, by one goroutine at a time
}

// Progress is how far an ingest is.
type Progress struct {
	Verifying bool // false: sending
	Done      int  // items sent, or read back
	Total     int  // -1: not known
	Failed    int
}

// Run ingests a source. The error says that the work could not be done at all (API down, no collection,
// source unreadable, context ended); what happened to single items stands in the report, which is never nil.
func Run(ctx context.Context, source Source, o Options) (*Report, error) {
	begin := time.Now()
	r, err := newRun(source, o)
	if err != nil {
		return &Report{Address: o.Address}, err
	}
	defer r.client.http.CloseIdleConnections()
	if err = r.createCollection(ctx); err == nil {
		if err = r.send(ctx); err == nil {
			err = r.verify(ctx)
		}
	}
	r.report.Bulk = r.bulk.Load() == bulkOffered
	r.report.Elapsed = time.Since(begin)
	return r.report, err
}

// Whether the API offers bulk_items is found out by the first batch.
const (
	bulkUnknown int32 = iota
	bulkOffered
	bulkRefused
)

type run struct {
	Options
	source Source
	client *client
	path   string // of the collection
	bulk   atomic.Int32

	mu      sync.Mutex
	report  *Report  // guarded by mu
	refused []string // ids of items that failed, not to be verified; guarded by mu
}

// maxRefused bounds the ids kept of failed items; with more of them the verification counts some twice.
const maxRefused = 100_000

func newRun(source Source, o Options) (*run, error) {
	u, err := url.Parse(o.Address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("API address %q is not an http URL such as http://127.0.0.1:8090", o.Address)
	}
	o.Address = strings.TrimRight(o.Address, "/")
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Collection == "" {
		o.Collection = gjson.GetBytes(source.Collection, "id").String()
	}
	if o.Collection == "" {
		return nil, errors.New("no collection id: name one, or give a collection document beside the items")
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is documented to be one
		t.MaxIdleConnsPerHost = o.Parallel
		o.Transport = t
	}
	r := &run{
		Options: o, source: source, path: "/collections/" + url.PathEscape(o.Collection),
		client: &client{http: &http.Client{Transport: o.Transport}, base: o.Address, header: o.Header, timeout: o.Timeout},
		report: &Report{Address: o.Address, Collection: o.Collection},
	}
	if o.NoBulk {
		r.bulk.Store(bulkRefused)
	}
	return r, nil
}

// createCollection posts the collection document, or checks that the collection is there.
func (r *run) createCollection(ctx context.Context) error {
	if r.source.Collection == nil {
		a, err := r.client.do(ctx, http.MethodGet, r.path, nil)
		switch {
		case err != nil:
			return r.unreachable(err)
		case a.status == http.StatusNotFound:
			return fmt.Errorf("collection %q does not exist at %s and no collection document was given: put a collection.json beside the items", r.Collection, r.Address)
		case a.status != http.StatusOK:
			return fmt.Errorf("GET %s%s answered %d: %s", r.Address, r.path, a.status, a.text())
		}
		return nil
	}
	document, err := PrepareCollection(r.source.Collection, r.Collection)
	if err != nil {
		return err
	}
	a, err := r.client.do(ctx, http.MethodPost, "/collections", document)
	if err != nil {
		return r.unreachable(err)
	}
	switch a.status {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
		r.report.New = true
		return r.awaitCollection(ctx)
	case http.StatusConflict:
		return nil
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Errorf("%s does not take collections (POST /collections answered %d): is it a STAC API with transactions switched on?", r.Address, a.status)
	}
	return fmt.Errorf("POST %s/collections answered %d: %s", r.Address, a.status, a.text())
}

// awaitCollection waits until the collection can be read: some stores show it only after a refresh, and
// answer 404 to its items before.
func (r *run) awaitCollection(ctx context.Context) error {
	deadline := time.Now().Add(r.Wait)
	for {
		a, err := r.client.do(ctx, http.MethodGet, r.path, nil)
		switch {
		case err != nil:
			return r.unreachable(err)
		case a.status == http.StatusOK:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("collection %q was created but GET %s%s still answers %d after %s: %s",
				r.Collection, r.Address, r.path, a.status, r.Wait, a.text())
		}
		if err := waitFor(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

func (r *run) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("reach %s: %w: is the API running there?", r.Address, err)
}

// piece is an item on its way.
type piece struct {
	id   string
	text []byte
}

// each hands out the items of the source in batches to Parallel workers; bad is told of documents that are no items.
func (r *run) each(ctx context.Context, size int, bad func(error), work func(context.Context, []piece)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan []piece)
	var workers sync.WaitGroup
	for range r.Parallel {
		workers.Go(func() {
			for batch := range batches {
				work(ctx, batch)
			}
		})
	}
	var batch []piece
	hand := func() error {
		select {
		case batches <- batch:
			batch = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := func() error {
		for text, err := range r.source.Items {
			if err != nil {
				return err
			}
			text, id, err := PrepareItem(text, r.Collection)
			if err != nil {
				bad(err)
				continue
			}
			if batch = append(batch, piece{id, text}); len(batch) >= size {
				if err := hand(); err != nil {
					return err
				}
			}
		}
		if len(batch) > 0 {
			return hand()
		}
		return nil
	}()
	close(batches)
	workers.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// update changes the report and tells the progress.
func (r *run) update(change func(*Report)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r.report)
}

func (r *run) tell(verifying bool) {
	if r.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Verifying: verifying, Done: r.report.Sent, Total: r.source.Count, Failed: r.report.Failed}
	if verifying {
		p.Done, p.Total = r.report.Verified, r.report.Created+r.report.Existing
	}
	r.Progress(p)
}
