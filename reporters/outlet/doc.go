// Package outlet is what the reporters share that send figures to other systems while a run goes on:
// a bounded [Queue] with a goroutine of its own, so that a slow or dead receiver never holds the run
// up; a [Ledger] that sums intervals up for protocols that want totals since the start; the [Family]
// list, which gives every figure one name, one unit and one meaning in all ecosystems; and an HTTP
// post whose errors do not give secrets away.
//
// Intervals come in from the session's goroutine and leave as figures; nothing is computed that
// metrics does not give, but buckets are put together where a protocol has coarser ones. How a
// figure is written on the wire belongs to the reporter of the protocol.
package outlet
