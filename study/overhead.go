package study

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// Took is the name of the metric that search engines answer with: milliseconds that a request took inside them.
const Took = "took"

// tookTimes are the sums over runs, by label, of what requests took inside the server and in all.
type tookTimes map[string]tookTime

type tookTime struct {
	inside, inAll   float64 // ms
	insides, inAlls int64
}

// add takes the labels of a run whose answers say what they took.
func (t *tookTimes) add(snapshot *metrics.Snapshot, names map[string]string) {
	for _, row := range snapshot.RequestRows() {
		if names[row.Label] != Took || row.Metric.Count == 0 {
			continue
		}
		if *t == nil {
			*t = tookTimes{}
		}
		sum := (*t)[row.Label]
		sum.inside += row.Metric.Mean() / 1000 * float64(row.Metric.Count)
		sum.insides += row.Metric.Count
		sum.inAll += row.Service.Mean() / 1e6 * float64(row.Service.Count)
		sum.inAlls += row.Service.Count
		(*t)[row.Label] = sum
	}
}

// overhead says, label by label, what part of the mean service time was not the server's own. Means add up; percentiles do not.
func overhead(side string, times tookTimes) (notes []string) {
	for _, label := range slices.Sorted(maps.Keys(times)) {
		t := times[label]
		if t.inAlls == 0 {
			continue
		}
		inside, inAll := t.inside/float64(t.insides), t.inAll/float64(t.inAlls)
		notes = append(notes, fmt.Sprintf("%s of %s took %.1f ms on average, of which %.1f ms inside the server (took), so %.1f ms in client, network and the server's queues",
			label, side, inAll, inside, inAll-inside))
	}
	return notes
}
