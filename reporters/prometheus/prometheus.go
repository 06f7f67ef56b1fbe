package prometheus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// DefaultListen is where the page is unless told otherwise: a port that exporters use, on loopback.
const DefaultListen = "127.0.0.1:9464"

// Options of prometheus.
type Options struct {
	Listen      string            // address of the page; "": none
	Linger      time.Duration     // how long the page stays after the run, unless it is read before
	Labels      map[string]string // added to every series
	Buckets     []float64         // upper limits in seconds; nil: [outlet.DefaultLimits]
	RemoteWrite *url.URL          // nil: none
	Headers     map[string]string // of remote write
	Every       time.Duration     // between two pushes; 0: 5 s
	Classic     bool              // remote write sends no native histograms
	Timeout     time.Duration     // of a push; 0: [outlet.DefaultTimeout]
}

// Prometheus serves the figures and pushes them.
type Prometheus struct {
	options Options
	run     report.Run
	shape   outlet.Shape
	ledger  *outlet.Ledger
	push    *pusher
	server  *http.Server
	served  chan struct{} // closed when the server's goroutine has ended
	address string

	hurry   sync.Once
	hurried chan struct{} // closed when the end is not to wait any longer

	mu    sync.Mutex    // guards what follows
	ended bool          // the figures are the last ones
	last  chan struct{} // closed when the last figures were read
}

var _ report.Sender = (*Prometheus)(nil)

// New makes the reporter.
func New(o Options) *Prometheus {
	if o.Buckets == nil {
		o.Buckets = outlet.DefaultLimits()
	}
	if o.Every <= 0 {
		o.Every = 5 * time.Second
	}
	return &Prometheus{options: o, last: make(chan struct{}), hurried: make(chan struct{})}
}

// nativeScale makes native histograms of 16 buckets per doubling, so that a percentile is right to
// 4.5 %.
const nativeScale = 4

// Begin opens the page. An address that cannot be listened on is an error, since nobody would see
// the figures.
func (p *Prometheus) Begin(run report.Run) error {
	p.run = run
	p.ledger = outlet.NewLedger(run)
	p.shape = outlet.Shape{Limits: p.options.Buckets, Sparse: true, Scale: nativeScale}
	if p.options.RemoteWrite != nil {
		p.push = startPusher(p.options, run, p.ledger)
	}
	if p.options.Listen == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", p.options.Listen)
	if err != nil {
		if p.push != nil {
			p.push.close()
		}
		return fmt.Errorf("open the page for prometheus: %w", err)
	}
	p.address = listener.Addr().String()
	p.serve(listener)
	return nil
}

// Address is where the page is, once the run has begun; "" when there is none.
func (p *Prometheus) Address() string { return p.address }

// Limits of the page: a scrape of a thousand labels takes well under a second.
const (
	scrapeTimeout  = 10 * time.Second
	scrapesAtOnce  = 4
	shutdownLimit  = 2 * time.Second
	headerDeadline = 5 * time.Second
)

func (p *Prometheus) serve(listener net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", p.noting(&page{reporter: p, slots: make(chan struct{}, scrapesAtOnce)}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>stacrun</title><a href="/metrics">metrics</a>`))
	})
	p.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerDeadline, WriteTimeout: scrapeTimeout, IdleTimeout: time.Minute,
	}
	p.served = make(chan struct{})
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener) // ends with Shutdown; what else ends it shows as a failed scrape
	}()
}

// noting closes last after the first scrape that was given the last figures.
func (p *Prometheus) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		final := p.ended
		p.mu.Unlock()
		next.ServeHTTP(w, r)
		if !final {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		select {
		case <-p.last:
		default:
			close(p.last)
		}
	})
}

// Observe adds a second.
func (p *Prometheus) Observe(iv *metrics.Interval, _ *metrics.Snapshot, verdicts []criteria.Verdict) error {
	p.ledger.Add(iv, verdicts)
	if p.push != nil {
		p.push.observe(iv)
	}
	return nil
}

// End lets the last figures be read, for as long as it may linger, and closes the page.
func (p *Prometheus) End(o *report.Outcome) error {
	p.ledger.Judge(o.Verdicts)
	if p.push != nil {
		if notice := p.push.close(); notice != "" {
			o.Notices = append(o.Notices, notice)
		}
	}
	if p.server == nil {
		return nil
	}
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	if p.options.Linger > 0 && o.Result != report.ResultInterrupted && o.Result != report.ResultError {
		select {
		case <-p.last:
		case <-p.hurried:
		case <-time.After(p.options.Linger):
			o.Notices = append(o.Notices, "prometheus: nobody read the last figures at http://"+p.address+"/metrics within "+p.options.Linger.String())
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
	defer cancel()
	if err := p.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		_ = p.server.Close() // a scraper that does not read its answer is cut off
	}
	<-p.served
	return nil
}

// Hurry implements report.Sender.
func (p *Prometheus) Hurry() {
	p.hurry.Do(func() { close(p.hurried) })
	if p.push != nil {
		p.push.queue.Hurry()
	}
}
