package metrics

import (
	"math"
	"runtime"
	runtimemetrics "runtime/metrics"
	"time"
)

// HealthProbe measures how the generator itself fares between two readings: its share of the processors, how long
// ready goroutines wait for one, pauses and work of the garbage collector, open descriptors, memory. It is for one goroutine.
type HealthProbe struct {
	samples   []runtimemetrics.Sample
	latencies []uint64 // counts at the last reading
	pauses    []uint64
	gc, total float64 // CPU seconds
	last      reading
	before    reading // the one before last
}

// reading is how much processor time the process had used at a moment.
type reading struct {
	at  time.Time
	cpu time.Duration
}

// shortest is how long a share of the processors must be measured; in less, such as the rest of a last second, a single burst fills it.
const shortest = 250 * time.Millisecond

// tooShort is a time in which nothing can be said of a share: a run that was over at once has only begun and ended.
const tooShort = 20 * time.Millisecond

// The figures of the Go runtime that are read, in this order.
var runtimeFigures = [...]string{
	"/sched/latencies:seconds",
	"/sched/pauses/total/gc:seconds",
	"/cpu/classes/gc/total:cpu-seconds",
	"/cpu/classes/total:cpu-seconds",
	"/sched/goroutines:goroutines",
	"/memory/classes/total:bytes",
}

// NewHealthProbe starts measuring.
func NewHealthProbe() *HealthProbe {
	p := &HealthProbe{samples: make([]runtimemetrics.Sample, len(runtimeFigures))}
	for i, name := range runtimeFigures {
		p.samples[i].Name = name
	}
	p.Read()
	return p
}

// Read returns the health since the last reading. PacerLateP99 and CollectorLag are the caller's to fill in; what a system does not tell is 0.
func (p *HealthProbe) Read() Health {
	runtimemetrics.Read(p.samples)
	now := reading{time.Now(), processorTime()}
	h := Health{
		SchedulerLagP99: recentQuantile(p.samples[0].Value, &p.latencies, 0.99),
		GCPauseMax:      recentQuantile(p.samples[1].Value, &p.pauses, 1),
		Goroutines:      int64(uintOf(p.samples[4].Value)),
		MemoryBytes:     residentBytes(int64(uintOf(p.samples[5].Value))),
	}
	h.Descriptors, h.DescriptorLimit = descriptors()
	gc, total := floatOf(p.samples[2].Value), floatOf(p.samples[3].Value)
	if total > p.total {
		h.GCShare = (gc - p.gc) / (total - p.total)
	}
	if !p.last.at.IsZero() {
		h.CPUSeconds = (now.cpu - p.last.cpu).Seconds()
		since := p.last
		if now.at.Sub(since.at) < shortest && !p.before.at.IsZero() {
			since = p.before
		}
		if elapsed := now.at.Sub(since.at); elapsed >= tooShort {
			h.CPUShare = min((now.cpu-since.cpu).Seconds()/elapsed.Seconds()/float64(runtime.GOMAXPROCS(0)), 1)
		}
	}
	p.before, p.last, p.gc, p.total = p.last, now, gc, total
	return h
}

func uintOf(v runtimemetrics.Value) uint64 {
	if v.Kind() != runtimemetrics.KindUint64 {
		return 0
	}
	return v.Uint64()
}

func floatOf(v runtimemetrics.Value) float64 {
	if v.Kind() != runtimemetrics.KindFloat64 {
		return 0
	}
	return v.Float64()
}

// recentQuantile returns the upper end, in ns, of the bucket that holds share q of what was added to the runtime's
// histogram since the counts that last holds, and brings these up to date.
func recentQuantile(v runtimemetrics.Value, last *[]uint64, q float64) int64 {
	if v.Kind() != runtimemetrics.KindFloat64Histogram {
		return 0
	}
	h := v.Float64Histogram()
	if len(*last) != len(h.Counts) {
		*last = make([]uint64, len(h.Counts))
	}
	var total uint64
	for i, n := range h.Counts {
		total += n - (*last)[i]
	}
	want := uint64(math.Ceil(q * float64(total)))
	var seen uint64
	upper := 0.0
	for i, n := range h.Counts {
		recent := n - (*last)[i]
		(*last)[i] = n
		if recent == 0 || seen >= want {
			continue
		}
		seen += recent
		if upper = h.Buckets[i+1]; math.IsInf(upper, 1) {
			upper = h.Buckets[i]
		}
	}
	return int64(upper * 1e9)
}
