package engine

import (
	"math"

	"github.com/stacrun/stacrun/engine/load"
)

// noMoment is a moment that does not come.
const noMoment = math.MaxInt64

// timetable has the arrivals of an open execution in the order in which they fall due. A rate that is set while running goes on
// from where the integral of the rate stands, so that counts stay right however often it is set. Times are ns
// since the start of the run.
type timetable struct {
	legs []tableLeg // those that may still have arrivals; the last one is in force
	next int64      // when the next arrival is due
}

// tableLeg is the part of a timetable from one change of the rate to the next.
type tableLeg struct {
	shape    load.Shape
	schedule *load.Schedule
	base     int64   // that the schedule counts from
	until    int64   // what it has due from then on does not arrive
	phase    float64 // of the integral that had passed, when the leg began, since the arrival before, 0…1
	begun    bool    // there was one
}

func newTimetable(shape load.Shape, schedule *load.Schedule, base int64) *timetable {
	t := &timetable{legs: []tableLeg{{shape: shape, schedule: schedule, base: base, until: noMoment}}}
	t.advance()
	return t
}

// advance looks for the next arrival.
func (t *timetable) advance() {
	for {
		l := &t.legs[0]
		if _, due, more := l.schedule.Next(); more && l.base+int64(due) < l.until {
			t.next = l.base + int64(due)
			return
		}
		if len(t.legs) == 1 {
			t.next = noMoment
			return
		}
		t.legs = t.legs[1:]
	}
}

// set has another rate hold from now on, with random arrivals if they are to come from a seed. What fell due until now stays due.
func (t *timetable) set(now int64, shape load.Shape, random *uint64) {
	last := &t.legs[len(t.legs)-1]
	last.until = now + 1
	l := tableLeg{shape: shape, base: now, until: noMoment}
	if random != nil {
		l.schedule = shape.Poisson(*random, streamArrivals)
	} else {
		l.phase, l.begun = last.passed(now)
		l.schedule = shape.Schedule()
		if rate := shape.Rate(0); l.begun && rate > 0 {
			if since := l.phase / rate * 1e9; since < noMoment/4 {
				l.base -= int64(since)
				l.schedule.Next() // the arrival before
			}
		}
	}
	t.legs = append(t.legs, l)
	if t.next > now {
		t.legs = t.legs[len(t.legs)-1:]
		t.advance()
	}
}

// passed is how much of the integral has passed at a moment since the last arrival, and whether there was one.
func (l *tableLeg) passed(now int64) (phase float64, begun bool) {
	n, integral := l.shape.Reached(now - l.base)
	if n == 0 {
		return l.phase, l.begun
	}
	return min(max(integral-float64(n-1), 0), 1), true
}

// move shifts what is still to come by what a pause took.
func (t *timetable) move(by int64) {
	for i := range t.legs {
		t.legs[i].base += by
		if t.legs[i].until != noMoment {
			t.legs[i].until += by
		}
	}
	if t.next != noMoment {
		t.next += by
	}
}
