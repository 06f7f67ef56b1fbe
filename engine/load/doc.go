// Package load is the arithmetic of load: how many users there should be at a moment, when the next
// iteration falls due, when a request may pass the throughput cap.
//
// A [Spec] becomes a [Shape]; a [Schedule] walks through its arrivals, a [Throttle] hands out permits.
// Everything is a pure function of the time since the start of the execution: there are no clocks, no goroutines
// and no accumulated rounding here, since every moment is computed from one absolute schedule in whole
// nanoseconds. It imports no other room.
package load
