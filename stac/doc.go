// Package stac is the domain: made-up Sentinel-2 items, an embedded STAC API to serve them, a client
// to ingest them, and the places and times that a scenario draws its queries from.
//
// The parts live below: geo (boxes, geometries, tiles), item (the generator), api (the server), ingest
// (the client). This package joins them and offers what templates call: [RandomBbox], [RandomPoint],
// [RandomDatetime] and [SampleItem]. It knows nothing of files, plans, runs or reports.
package stac
