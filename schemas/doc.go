// Package schemas holds the JSON Schema of the language, the one that editors use and that
// config validates with.
//
// The schema is draft 2020-12. Keywords of our own are read by config's messages and warnings:
// x-expects says in words what stands there, x-hint what to do instead, x-taurus marks keys of
// Taurus that have no meaning here ("warn" names them, "ignore" keeps still), and x-unknown: "warn"
// marks blocks in which an unknown key is no error. Shorthands are written with if/then/else on the
// type, so that a mistake gives one error.
// schemas imports no other room and contains no code beyond the embedding.
package schemas
