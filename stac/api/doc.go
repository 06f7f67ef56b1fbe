// Package api is a STAC API server in one http.Handler: landing page, collections, items, search with
// filters and paging, transactions and bulk ingest, for demonstrations, tests and `stacrun serve`.
//
// A request becomes a [Search], a [Store] answers it with immutable, already encoded [Item] values, and
// the handler adds the links. Stores hold data in memory ([NewMemory]) or in a SQLite file
// ([OpenSQLite]) and share one meaning of every parameter: matching, order and paging are in this
// package, not in the stores. It follows STAC API 1.0.0 and answers errors as {code, description}.
// api makes no data (see stac/item) and imports stac/geo only.
package api
