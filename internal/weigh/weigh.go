// Package weigh counts, for tests, what does not wobble with the speed of a machine: allocations and bytes.
//
// The race detector allocates by itself and takes things out of pools at random, so that each function here skips its
// test under it, and the collector, which empties pools too, stands still while allocations are counted.
package weigh

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// rounds is how often a figure is taken. Everything in a process is counted, such as a goroutine that an earlier test
// has left to end, so the smallest figure is the one of the code itself.
const rounds = 3

// Exact skips a test whose figures the race detector would change. Tests that prepare much before they weigh call it first.
func Exact(t testing.TB) {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector allocates, and takes out of pools at random")
	}
}

// Allocations gives how many allocations a call of f makes, on average over runs calls, rounded down. f is called
// beforehand as well, so that what it keeps for later calls is there.
func Allocations(t testing.TB, runs int, f func()) float64 {
	t.Helper()
	Exact(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := testing.AllocsPerRun(runs, f)
	for range rounds - 1 {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}

// Bytes gives how many bytes a call of f allocates, on average over runs calls, as Allocations does.
func Bytes(t testing.TB, runs int, f func()) uint64 {
	t.Helper()
	Exact(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	f()
	least := ^uint64(0)
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			f()
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.TotalAlloc-before.TotalAlloc)/uint64(runs))
	}
	return least
}

// Heap gives the bytes that are alive on the heap.
func Heap(t testing.TB) int64 {
	t.Helper()
	return int64(alive(t).HeapAlloc)
}

// HeapAndStacks gives the bytes that are alive on the heap and those that stacks of goroutines take.
func HeapAndStacks(t testing.TB) int64 {
	t.Helper()
	m := alive(t)
	return int64(m.HeapAlloc + m.StackInuse)
}

func alive(t testing.TB) *runtime.MemStats {
	t.Helper()
	Exact(t)
	// What a pool holds is given up by the second collection, and what has a finalizer after the first.
	runtime.GC()
	runtime.GC()
	m := new(runtime.MemStats)
	runtime.ReadMemStats(m)
	return m
}
