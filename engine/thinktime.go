package engine

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// thinkTime is a pause between requests. The zero value is no pause.
type thinkTime struct {
	distribution string
	mean         time.Duration
	deviation    time.Duration // poisson: the minimum
	template     *template.Template
}

func (t *thinkTime) none() bool {
	return t == nil || t.mean == 0 && t.template == nil && t.deviation == 0
}

// draw gives the next pause, never negative.
//
//	uniform   mean ± deviation, evenly
//	gaussian  normal with that mean and deviation
//	poisson   minimum + Poisson(λ = mean − minimum in milliseconds)
func (t *thinkTime) draw(r *rand.Rand) time.Duration {
	var d time.Duration
	switch t.distribution {
	case "uniform":
		d = t.mean + time.Duration((2*r.Float64()-1)*float64(t.deviation))
	case "gaussian":
		d = t.mean + time.Duration(r.NormFloat64()*float64(t.deviation))
	case "poisson":
		lambda := float64(t.mean-t.deviation) / float64(time.Millisecond)
		d = t.deviation + time.Duration(poisson(r, lambda))*time.Millisecond
	default:
		d = t.mean
	}
	return max(d, 0)
}

// poisson draws from the Poisson distribution. Knuth's product method serves small λ; above 30 the
// normal approximation with continuity correction differs by less than a timer's resolution.
func poisson(r *rand.Rand, lambda float64) int64 {
	if lambda <= 0 {
		return 0
	}
	if lambda > 30 {
		return max(0, int64(math.Floor(lambda+math.Sqrt(lambda)*r.NormFloat64()+0.5)))
	}
	limit, p, k := math.Exp(-lambda), 1.0, int64(0)
	for {
		p *= r.Float64()
		if p <= limit {
			return k
		}
		k++
	}
}

// pauseText reads a pause that a template yielded: a bare number is milliseconds (JMeter's unit), else a duration.
func pauseText(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		return time.Duration(ms * float64(time.Millisecond)), nil
	}
	return config.ParseDuration(text)
}
