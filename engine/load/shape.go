package load

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Limits of a shape.
const (
	MaxUsers    = 10_000_000
	MaxRate     = 1_000_000              // per second
	MaxSteps    = 100_000                // each is kept
	maxDuration = time.Duration(1 << 62) // some 146 years; an endless plan ends here
)

// Spec describes a load as it is written. Either RampUp, HoldFor and Steps lead to Level, or Stages say it all.
type Spec struct {
	Open    bool          // iterations started per second; otherwise users
	Level   float64       // ≥ 0; whole users, or iterations per second
	RampUp  time.Duration // ≥ 0: from nothing to Level
	HoldFor time.Duration // ≥ 0: at Level, after RampUp
	Endless bool          // HoldFor has no end: something else ends the plan
	Steps   int           // > 0: RampUp is a staircase of that many steps
	Stages  []Stage
}

// Stage is a leg in which the level moves linearly from where the last one ended; without a duration it jumps.
type Stage struct {
	Duration time.Duration
	Level    float64
}

// Shape is a load over time, immutable. The time 0 is the start of its execution. The zero value asks for nothing.
type Shape struct {
	open    bool
	endless bool
	stepped bool // levels only change in jumps
	legs    []leg
	end     int64 // ns; maxDuration when endless
	scale   int   // rates are kept in 2^-scale/baseUnits per second
}

// leg is a part of a shape in which the level moves linearly from one value to another.
type leg struct {
	start, length int64 // ns; length > 0
	from, to      int64 // users, or rates in 2^-scale/baseUnits per second
	before        u128  // arrivals before its start, in half units of a rate in force for 1 ns; open only
}

// New checks the description and makes a shape of it.
func New(spec Spec) (Shape, error) {
	if err := spec.check(); err != nil {
		return Shape{}, err
	}
	s := Shape{open: spec.Open, endless: spec.Endless}
	if spec.Open {
		s.scale = scaleFor(spec.peak())
	}
	if len(spec.Stages) > 0 {
		s.addStages(spec.Stages)
	} else {
		s.addRamp(spec)
	}
	if spec.Endless {
		last := s.units(spec.lastLevel())
		s.add(int64(maxDuration)-s.end, last, last)
	}
	s.stepped = !spec.Open
	if spec.Open {
		s.stepped = true
		for _, l := range s.legs {
			s.stepped = s.stepped && l.from == l.to
		}
	}
	return s, nil
}

// Constant is the shape of one level without an end.
func Constant(open bool, level float64) (Shape, error) {
	return New(Spec{Open: open, Level: level, Endless: true})
}

func (spec *Spec) check() error {
	total := spec.RampUp
	levels := []float64{spec.Level}
	if spec.RampUp < 0 || spec.HoldFor < 0 {
		return fmt.Errorf("duration %v is negative", min(spec.RampUp, spec.HoldFor))
	}
	if spec.Steps < 0 {
		return fmt.Errorf("%d steps are less than none", spec.Steps)
	}
	if spec.Steps > MaxSteps {
		return fmt.Errorf("%d steps are more than %d", spec.Steps, MaxSteps)
	}
	if len(spec.Stages) > 0 {
		total, levels = 0, nil
		for _, stage := range spec.Stages {
			if stage.Duration < 0 {
				return fmt.Errorf("duration %v is negative", stage.Duration)
			}
			if total += stage.Duration; total < 0 {
				return fmt.Errorf("the stages are longer than %v together", maxDuration)
			}
			levels = append(levels, stage.Level)
		}
	} else if !spec.Endless {
		total += spec.HoldFor
	}
	if total < 0 || total > maxDuration {
		return fmt.Errorf("the load is longer than %v", maxDuration)
	}
	for _, level := range levels {
		switch {
		case level < 0 || math.IsNaN(level):
			return fmt.Errorf("level %v is less than nothing", level)
		case spec.Open && level > MaxRate:
			return fmt.Errorf("%.10g per second are more than %d", level, MaxRate)
		case !spec.Open && level > MaxUsers:
			return fmt.Errorf("%.10g users are more than %d", level, MaxUsers)
		case !spec.Open && level != math.Trunc(level):
			return fmt.Errorf("%v users are not a whole number", level)
		}
	}
	return nil
}

// peak is the highest level.
func (spec *Spec) peak() float64 {
	if len(spec.Stages) == 0 {
		return spec.Level
	}
	peak := 0.0
	for _, stage := range spec.Stages {
		peak = max(peak, stage.Level)
	}
	return peak
}

func (spec *Spec) lastLevel() float64 {
	if n := len(spec.Stages); n > 0 {
		return spec.Stages[n-1].Level
	}
	return spec.Level
}

func (s *Shape) addStages(stages []Stage) {
	level := int64(0)
	for _, stage := range stages {
		to := s.units(stage.Level)
		s.add(int64(stage.Duration), level, to)
		level = to
	}
}

// addRamp adds ramp-up and hold. Step j of S begins at j·R/S with ⌊C(j+1)/S + ½⌋ users, or with (j+1)/S of the rate.
func (s *Shape) addRamp(spec Spec) {
	target := s.units(spec.Level)
	ramp := int64(spec.RampUp)
	if spec.Steps > 0 && ramp > 0 {
		steps := int64(spec.Steps)
		for j := range steps {
			level := s.units(spec.Level * float64(j+1) / float64(steps))
			if !s.open {
				level = mulDiv(target*2, j+1, steps*2, steps) // ⌊(2C(j+1) + S) / 2S⌋
			}
			s.add(ceilMulDiv(ramp, j+1, steps)-ceilMulDiv(ramp, j, steps), level, level)
		}
	} else {
		s.add(ramp, 0, target)
	}
	if !spec.Endless {
		s.add(int64(spec.HoldFor), target, target)
	}
}

// add appends a leg unless it has no length.
func (s *Shape) add(length, from, to int64) {
	if length <= 0 {
		return
	}
	l := leg{start: s.end, length: length, from: from, to: to}
	if n := len(s.legs); n > 0 && s.open {
		l.before = s.legs[n-1].after()
	}
	s.legs = append(s.legs, l)
	s.end += length
}

// at returns the leg of moment t; nil before the start and from the end on.
func (s *Shape) at(t int64) *leg {
	if t < 0 || t >= s.end {
		return nil
	}
	i := sort.Search(len(s.legs), func(i int) bool { return s.legs[i].start > t })
	return &s.legs[i-1]
}

// Open says whether the level is a rate of iterations and not a number of users.
func (s Shape) Open() bool { return s.open }

// Stepped says whether the level changes in jumps only, so that between two points the earlier one holds.
func (s Shape) Stepped() bool { return s.stepped }

// Duration is how long the load lasts; false when it has no end of its own.
func (s Shape) Duration() (time.Duration, bool) { return time.Duration(s.end), !s.endless }

// Level is the number of users, or the rate per second, at t; 0 outside of the plan.
func (s Shape) Level(t time.Duration) float64 {
	if s.open {
		return s.Rate(t)
	}
	return float64(s.Users(t))
}

// Peak is the highest level of the plan.
func (s Shape) Peak() float64 {
	var peak int64
	for _, l := range s.legs {
		peak = max(peak, l.from, l.to)
	}
	return s.level(peak)
}
