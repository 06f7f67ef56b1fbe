// Package prometheus offers the figures of a run on a page for Prometheus to scrape, and pushes
// them to a receiver of remote write.
//
// The page is served from the totals of an [outlet.Ledger], as text, as OpenMetrics, or as
// protocol buffers with native histograms, whichever the scraper asks for. Remote write is written
// here, in both versions of its protocol, since its messages are small and its only client is
// experimental; what a receiver understands is found out with the first push. Names follow
// Prometheus' conventions: "stacrun_", base units, "_total" on counters.
package prometheus
