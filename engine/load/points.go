package load

import (
	"slices"
	"time"
)

// Point is a level at a moment of the plan.
type Point struct {
	T     time.Duration
	Level float64 // users, or iterations per second
}

const (
	gridPoints   = 20  // equal parts into which a plan is divided besides its breakpoints
	maxChanges   = 250 // so many changes of whole users are each shown
	endlessAfter = time.Minute
)

// Points draws the shape: its breakpoints and a grid of at least 20 parts, in order of time; the last is the level just before the end. Of
// a plan without an end the ramp and a minute more are drawn. In a [Shape.Stepped] shape each level holds until the next
// point, otherwise the line between two points is straight; where the level jumps there are two points of one time.
func (s Shape) Points() []Point {
	if len(s.legs) == 0 {
		return []Point{{0, 0}}
	}
	horizon := s.end
	if s.endless {
		horizon = s.legs[len(s.legs)-1].start + int64(endlessAfter)
	}
	times := []int64{}
	for i := range int64(gridPoints) {
		times = append(times, mulDiv(horizon, i, gridPoints, 0))
	}
	for _, l := range s.legs {
		times = append(times, l.start)
	}
	times = append(times, s.changes(horizon)...)
	slices.Sort(times)
	times = slices.Compact(times)

	points := make([]Point, 0, len(times)+2)
	for _, t := range times {
		if l := s.at(t); !s.stepped && t == l.start && t > 0 {
			if before := s.before(t); before != s.level(l.from) {
				points = append(points, Point{time.Duration(t), before})
			}
		}
		points = append(points, Point{time.Duration(t), s.Level(time.Duration(t))})
	}
	return append(points, Point{time.Duration(horizon), s.before(horizon)})
}

// before is the level that the shape comes to just before t, which is the end of a leg or lies in the last one.
func (s *Shape) before(t int64) float64 {
	l := s.at(t - 1)
	if !s.open {
		return float64(l.users(t - 1 - l.start))
	}
	if t == l.start+l.length {
		return s.level(l.to)
	}
	return s.Rate(time.Duration(t))
}

// changes returns the moments at which the number of users changes, none if there are too many to show.
func (s *Shape) changes(horizon int64) []int64 {
	var times []int64
	if s.open {
		return nil
	}
	for t := time.Duration(-1); ; {
		at, _, ok := s.NextChange(t)
		if !ok || int64(at) >= horizon {
			return times
		}
		if len(times) == maxChanges {
			return nil
		}
		times = append(times, int64(at))
		t = at
	}
}
