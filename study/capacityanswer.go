package study

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// conclude turns what was measured into the answer.
func (s *search) conclude() {
	c := s.out
	c.Sort()
	c.Low, c.Interrupted = s.low, s.ctx.Err() != nil
	if s.Open {
		c.Rate = &c.Low
	} else {
		c.Concurrency = &c.Low
	}
	c.Confirmed = max(s.held[s.low]-1, 0)
	c.Knee = knee(c.Curve)
	if s.high > 0 {
		high := s.high
		c.High, c.LimitedBy = &high, s.last.LimitedBy
	}
	if len(s.last.Broken) > 0 && s.high > 0 {
		c.FirstFailed = s.last.Broken[0]
	}
	switch {
	case c.Interrupted || len(c.Curve) >= maxSteps && s.high == 0:
		c.Reason = "the search was interrupted; what was measured until then stands"
		c.AtLeast = c.Low > 0 && s.high == 0
		if c.LimitedBy == "" {
			c.LimitedBy = "interrupted"
		}
	case s.high == 0 && s.low > 0:
		c.AtLeast, c.LimitedBy = true, report.LimitedByMaximum
		c.Reason = "the objectives held up to the highest load that was to be tried, " + s.name(s.low)
	case s.low == 0 && s.high > 0:
		c.Reason = fmt.Sprintf("even at %s: %s", s.name(s.high), strings.Join(s.last.Broken, ", "))
	case c.LimitedBy == report.LimitedByGenerator:
		c.AtLeast = true
		c.Reason = fmt.Sprintf("at %s the load generator itself was the limit (%s), so the system may hold more", s.name(s.high), s.last.Generator)
	case s.high > 0:
		c.Reason = fmt.Sprintf("at %s the first to give way was %s: %s", s.name(s.high), gaveWay(c.LimitedBy), strings.Join(s.last.Broken, ", "))
	}
}

func gaveWay(limit string) string {
	switch limit {
	case report.LimitedByErrors:
		return "the share of failures"
	case report.LimitedByDropped:
		return "the rate, which was not reached"
	}
	return "latency"
}

// knee is the load after which the 95th percentile has at least doubled since the lowest load and grows faster than the load.
// The curve is sorted; of a load that was measured several times the first counts.
func knee(curve []report.CapacityStep) *float64 {
	for i := 1; i < len(curve); i++ {
		a, b := curve[i-1], curve[i]
		if a.Level == b.Level || a.P95MS <= 0 {
			continue
		}
		if b.P95MS >= 2*curve[0].P95MS && b.P95MS/a.P95MS > b.Level/a.Level {
			level := a.Level
			return &level
		}
	}
	return nil
}
