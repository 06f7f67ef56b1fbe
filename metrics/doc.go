// Package metrics turns samples into numbers that can be added up.
//
// A [Sample] is one finished request. A [Collector] folds samples into an [Interval], one second
// of traffic per label. Intervals merge in any order, on any machine, and a [Snapshot] is the view
// of all of them so far. One versioned encoding of intervals serves the log on disk and the network.
// metrics imports no other room and prints nothing; times come in with the samples, and only the
// [HealthProbe] looks at the process itself.
package metrics
