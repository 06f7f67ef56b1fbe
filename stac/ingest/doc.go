// Package ingest puts a collection and its items into a STAC API and makes sure that they are there.
//
// A [Source] yields documents, made by the generator or read from files ([Open]); [Run] creates the
// collection, sends the items in parallel (many at once where the API offers bulk_items), reads every
// answer, and then reads back by id what it sent, because some stores show a write only after a while.
// What exists already is fine; what is missing in the end stands in the [Report]. Memory stays flat
// however many items there are. ingest imports no other room.
package ingest
