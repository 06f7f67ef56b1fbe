package metrics

import (
	"fmt"
	"time"
)

// From these values on a second counts as one in which the generator itself was the limit.
const (
	LimitCPUShare     = 0.85
	LimitLag          = 10 * time.Millisecond  // scheduler latency p99, and lateness of the pacer
	LimitCollectorLag = 200 * time.Millisecond // closing a second this late
	LimitDescriptors  = 0.95                   // of those allowed
	LimitStall        = 100 * time.Millisecond // standing still
	stalledShare      = 0.01                   // of the time of a run, from which on standing still shapes percentiles
	limitedShare      = 0.1                    // of the seconds of a run, and two at least, make it one that the generator limited
)

// HealthSummary is how the generator fared over a run, and whether its figures can be trusted.
type HealthSummary struct {
	Seconds            int64   // intervals that carried health
	CPUShareMean       float64 // of the processors it may use, 0…1
	CPUShareMax        float64
	CPUSeconds         float64
	SchedulerLagP99Max int64 // ns
	GCPauseMax         int64 // ns
	GCShareMax         float64
	PacerLateP99Max    int64 // ns
	CollectorLagMax    int64 // ns
	GoroutinesMax      int64
	DescriptorsMax     int64
	DescriptorLimit    int64 // 0: unknown
	MemoryBytesMax     int64
	NoDescriptor       int64  // connections that were not made for want of a file descriptor
	NoPort             int64  // … of a local port
	StallMax           int64  // ns for which it stood still at a stretch; 0: never for LimitStall or longer
	Bottleneck         bool   // the generator was the limit in at least a tenth of the seconds, not just in one, stood still for a hundredth of the time, or could not make a connection
	Reason             string // one sentence; "" unless Bottleneck
}

// healthSum gathers what the summary needs.
type healthSum struct {
	worst                            Health
	seconds                          int64
	shares                           float64
	busy, lagging, late, slowClosing int64 // seconds beyond their limit
	stalled                          int64 // ns
}

func (h *healthSum) add(o *Health) {
	if *o == (Health{}) {
		return
	}
	h.worst.merge(o)
	h.seconds++
	h.shares += o.CPUShare
	if o.CPUShare >= LimitCPUShare {
		h.busy++
	}
	if o.SchedulerLagP99 >= int64(LimitLag) {
		h.lagging++
	}
	if o.PacerLateP99 >= int64(LimitLag) {
		h.late++
	}
	if o.CollectorLag >= int64(LimitCollectorLag) {
		h.slowClosing++
	}
	if o.Stall >= int64(LimitStall) {
		h.stalled += o.Stall
	}
}

// Limited tells whether the generator itself, not the target, may have shaped a second.
func (h *Health) Limited() bool {
	return h.CPUShare >= LimitCPUShare || h.SchedulerLagP99 >= int64(LimitLag) || h.PacerLateP99 >= int64(LimitLag) ||
		h.CollectorLag >= int64(LimitCollectorLag) || h.Stall >= int64(LimitStall) || h.NoDescriptor > 0 || h.NoPort > 0 ||
		h.DescriptorLimit > 0 && float64(h.Descriptors) >= LimitDescriptors*float64(h.DescriptorLimit)
}

// Health sums up how the generator fared.
func (s *Snapshot) Health() HealthSummary {
	h := &s.health
	out := HealthSummary{
		Seconds:            h.seconds,
		CPUShareMax:        h.worst.CPUShare,
		CPUSeconds:         h.worst.CPUSeconds,
		SchedulerLagP99Max: h.worst.SchedulerLagP99,
		GCPauseMax:         h.worst.GCPauseMax,
		GCShareMax:         h.worst.GCShare,
		PacerLateP99Max:    h.worst.PacerLateP99,
		CollectorLagMax:    h.worst.CollectorLag,
		GoroutinesMax:      h.worst.Goroutines,
		DescriptorsMax:     h.worst.Descriptors,
		DescriptorLimit:    h.worst.DescriptorLimit,
		MemoryBytesMax:     h.worst.MemoryBytes,
		NoDescriptor:       h.worst.NoDescriptor,
		NoPort:             h.worst.NoPort,
	}
	if h.stalled > 0 {
		out.StallMax = h.worst.Stall
	}
	if h.seconds > 0 {
		out.CPUShareMean = h.shares / float64(h.seconds)
		out.Reason = h.reason(out.CPUShareMean)
		out.Bottleneck = out.Reason != ""
	}
	return out
}

// reason names the first limit that was reached for long enough, or "".
func (h *healthSum) reason(meanShare float64) string {
	much := func(seconds int64) bool {
		return seconds == h.seconds || seconds >= 2 && float64(seconds) >= limitedShare*float64(h.seconds)
	}
	in := func(seconds int64) string { return fmt.Sprintf("in %d of %d seconds", seconds, h.seconds) }
	switch w := &h.worst; {
	case w.NoDescriptor > 0:
		return fmt.Sprintf("the generator could not make %s: it had used up the %d file descriptors that it may have", connections(w.NoDescriptor), w.DescriptorLimit)
	case w.NoPort > 0:
		return fmt.Sprintf("the generator could not make %s: this machine had no local port left for the target", connections(w.NoPort))
	case w.DescriptorLimit > 0 && float64(w.Descriptors) >= LimitDescriptors*float64(w.DescriptorLimit):
		return fmt.Sprintf("the generator had %d of the %d file descriptors open that it may have", w.Descriptors, w.DescriptorLimit)
	case much(h.busy):
		return fmt.Sprintf("the generator used at least %.0f %% of its processors %s (%.0f %% on average)", LimitCPUShare*100, in(h.busy), meanShare*100)
	case much(h.lagging):
		return fmt.Sprintf("users that were ready waited for a processor at p99 up to %s, %v or longer %s",
			round(w.SchedulerLagP99), LimitLag, in(h.lagging))
	case float64(h.stalled) >= stalledShare*float64(h.seconds)*float64(time.Second) && h.stalled > 0:
		return fmt.Sprintf("the generator stood still for %s at a stretch, and for %s of the run in all", round(w.Stall), round(h.stalled))
	case much(h.late):
		return fmt.Sprintf("the pacer was late at p99 by up to %s, %v or more %s", round(w.PacerLateP99), LimitLag, in(h.late))
	case much(h.slowClosing):
		return fmt.Sprintf("seconds were closed late by up to %s, %v or more %s", round(w.CollectorLag), LimitCollectorLag, in(h.slowClosing))
	}
	return ""
}

func connections(n int64) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

func round(ns int64) time.Duration { return time.Duration(ns).Round(100 * time.Microsecond) }
