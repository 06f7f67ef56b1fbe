// Package otlp exports the figures of a run as OpenTelemetry metrics, over HTTP with protocol
// buffers.
//
// Totals since the start of the run come from an [outlet.Ledger] and become cumulative sums, gauges
// and exponential histograms; no sample is recorded a second time, so the SDK, which would do that,
// is not used. Names are "stacrun.…" with UCUM units, attributes as the semantic conventions have
// them where there is one.
package otlp
