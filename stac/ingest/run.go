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
	DefaultParallel = 8 // of those that fix it
	DefaultBatch    = 50
	DefaultWait     = 60 * time.Second
	DefaultTimeout  = 60 * time.Second
)

// Options of an ingest; the zero value of a field stands for its default.
type Options struct {
	Address    string // base URL of the API
	Collection string // id that collection and items get; "": that of the collection document
	Parallel   int    // requests at a time; 0: as many as the server takes well, up to MaxAuto
	NoBulk     bool   // never use bulk_items
	Batch      int    // items in one bulk request
	Resume     bool   // ask first which items are there, and send the others only
	Engine     string // base URL of the OpenSearch or Elasticsearch below the API, to write into its index directly; "": by the API
	Wait       time.Duration
	Timeout    time.Duration // of one request
	Header     http.Header   // sent with every request to the API, such as Authorization
	Transport  http.RoundTripper
	Progress   func(Progress) // called now and then, by one goroutine at a time
}

// Progress is how far an ingest is.
type Progress struct {
	Verifying bool // false: sending
	Done      int  // items sent, or read back
	Total     int  // -1: not known
	Failed    int
	Rate      float64 // items per second so far in this phase
	Parallel  int     // requests that may be in flight just now
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
	if err = r.createCollection(ctx); err == nil && o.Engine != "" {
		r.engine, err = r.openEngine(ctx)
	}
	if err == nil {
		r.phase = time.Now()
		err = r.send(ctx)
		r.report.Sending = time.Since(r.phase)
		_, r.report.Parallel = r.throttle.levels()
	}
	if err == nil && r.engine != nil {
		err = r.engine.refresh(ctx)
	}
	if err == nil {
		r.phase = time.Now()
		r.throttle.restart()
		err = r.verify(ctx)
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
	source   Source
	client   *client
	engine   *engine // nil: items go through the API
	throttle *throttle
	path     string // of the collection
	phase    time.Time
	bulk     atomic.Int32
	byItem   atomic.Bool // searching by id does not work here

	mu      sync.Mutex
	report  *Report // guarded by mu
	settled bits    // items that need not be read back: they failed, or were read already; guarded by mu
}

func newRun(source Source, o Options) (*run, error) {
	u, err := url.Parse(o.Address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("API address %q is not an http URL such as http://127.0.0.1:8090", o.Address)
	}
	o.Address = strings.TrimRight(o.Address, "/")
	parallel := fixed(o.Parallel)
	if o.Parallel <= 0 {
		parallel = adaptive(MaxAuto)
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
	first, err := firstItem(source)
	if err != nil {
		return nil, err
	}
	if o.Collection == "" {
		o.Collection = gjson.GetBytes(first, "collection").String()
	}
	if o.Collection == "" {
		o.Collection = DefaultCollection
	}
	if o.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is documented to be one
		t.MaxIdleConnsPerHost = parallel.most
		t.MaxIdleConns = 0
		o.Transport = t
	}
	r := &run{
		Options: o, source: source, path: "/collections/" + url.PathEscape(o.Collection),
		client:   &client{http: &http.Client{Transport: o.Transport}, base: o.Address, header: o.Header, timeout: o.Timeout, observed: parallel.observe},
		throttle: parallel,
		report:   &Report{Address: o.Address, Collection: o.Collection},
	}
	if o.NoBulk {
		r.bulk.Store(bulkRefused)
	}
	return r, nil
}

// createCollection posts the collection document. Without one the collection may be there already, and else gets a plain one.
func (r *run) createCollection(ctx context.Context) error {
	if r.source.Collection == nil {
		a, err := r.client.do(ctx, http.MethodGet, r.path, nil)
		switch {
		case err != nil:
			return r.unreachable(err)
		case a.status == http.StatusNotFound:
			return r.postCollection(ctx, plainCollection(r.Collection))
		case a.status != http.StatusOK:
			return fmt.Errorf("GET %s%s answered %d: %s", r.Address, r.path, a.status, a.text())
		}
		return nil
	}
	document, err := PrepareCollection(r.source.Collection, r.Collection)
	if err != nil {
		return err
	}
	return r.postCollection(ctx, document)
}

func (r *run) postCollection(ctx context.Context, document []byte) error {
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
	p := Progress{Verifying: verifying, Done: r.report.Sent + r.report.Found, Total: r.source.Count, Failed: r.report.Failed}
	if verifying {
		p.Done, p.Total = r.report.Verified, r.report.Created+r.report.Existing
	}
	if seconds := time.Since(r.phase).Seconds(); seconds > 0 {
		done := p.Done
		if verifying {
			done -= r.report.Found // in the phase before
		}
		p.Rate = float64(done) / seconds
	}
	p.Parallel, _ = r.throttle.levels()
	r.Progress(p)
}
