package prometheus

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/prometheus/common/expfmt"
)

// page answers scrapes in the format that the scraper likes best.
type page struct {
	reporter *Prometheus
	slots    chan struct{} // scrapes at once
}

// ServeHTTP implements http.Handler. A scraper that goes away in between does not matter: it asks
// again.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		http.Error(w, "too many scrapes at once", http.StatusServiceUnavailable)
		return
	}
	families := encode(p.reporter.ledger.Read(p.reporter.shape), p.reporter.run, &p.reporter.options)
	format := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...)
	w.Header().Set("Content-Type", string(format))
	w.Header().Add("Vary", "Accept, Accept-Encoding")
	var out io.Writer = w
	if acceptsGzip(r.Header) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		defer packed.Close()
		out = packed
	}
	encoder := expfmt.NewEncoder(out, format)
	for _, family := range families {
		if encoder.Encode(family) != nil {
			return
		}
	}
	if closer, ok := encoder.(expfmt.Closer); ok {
		_ = closer.Close() // writes the end mark of OpenMetrics
	}
}

func acceptsGzip(header http.Header) bool {
	for _, part := range strings.Split(header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" && strings.ReplaceAll(weight, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
