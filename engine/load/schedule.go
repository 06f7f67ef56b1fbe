package load

import (
	"math/rand/v2"
	"time"
)

// Schedule walks through the arrivals of an open shape. It is for one goroutine.
type Schedule struct {
	shape  Shape
	next   int64
	random *rand.Rand // nil: evenly spaced
	passed float64    // integral of the rate at the last random arrival
	last   time.Duration
}

// Schedule returns the evenly spaced arrivals of the shape: number k is due when the integral of the rate reaches k.
func (s Shape) Schedule() *Schedule { return &Schedule{shape: s} }

// Poisson returns random arrivals with the same mean rate at every moment: between two of them the integral of the rate grows by an
// exponentially distributed amount of mean 1. The same seed and stream give the same arrivals.
func (s Shape) Poisson(seed, stream uint64) *Schedule {
	return &Schedule{shape: s, random: rand.New(rand.NewPCG(seed, stream))}
}

// Next returns the number of the next arrival, from 0, and when it is due; false at the end of the plan.
func (c *Schedule) Next() (k int64, due time.Duration, ok bool) {
	k = c.next
	if c.random == nil {
		due, ok = c.shape.ArrivalAt(k)
	} else {
		c.passed += c.random.ExpFloat64()
		var at int64
		at, ok = c.shape.when(c.passed)
		due = max(time.Duration(at), c.last)
	}
	if !ok {
		return k, 0, false
	}
	c.next, c.last = k+1, due
	return k, due, true
}
