//go:build !unix

package metrics

import (
	runtimemetrics "runtime/metrics"
	"time"
)

// processorTime is what the runtime estimates of the time that the process has used.
func processorTime() time.Duration {
	samples := []runtimemetrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	runtimemetrics.Read(samples)
	return time.Duration((floatOf(samples[0].Value) - floatOf(samples[1].Value)) * 1e9)
}

// descriptors are not told here.
func descriptors() (open, limit int64) { return 0, 0 }

// residentBytes is what the runtime has from the system.
func residentBytes(otherwise int64) int64 { return otherwise }
