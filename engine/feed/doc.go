// Package feed hands the rows of data files to virtual users.
//
// [Open] reads a CSV or JSON lines file, or takes inline rows, into one immutable copy that all
// users of an execution share; [Source.Next] moves an atomic cursor. Files beyond 64 MB are read by
// a goroutine that keeps a bounded ring of rows ahead of the users instead.
// feed imports diag only and knows nothing of variables.
package feed
