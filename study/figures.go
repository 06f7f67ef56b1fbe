package study

import (
	"errors"
	"math"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/stats"
)

// figureOf reads a metric of a label off a stored run, in the unit of [report.ComparisonRow].
func figureOf(run *StoredRun, label, metric string) (float64, bool) {
	if label == report.AllRequests {
		label = ""
	}
	switch metric {
	case "rate":
		return run.figures.Value("rate", false, "", label)
	case "failures":
		return run.figures.Value("fail", true, "", label)
	case "mean":
		metric = "avg-rt"
	}
	seconds, ok := run.figures.Value(metric, false, "", label)
	return seconds * 1000, ok
}

// effect turns a direction into what it means for the metric.
func effect(metric string, v stats.Verdict) report.Effect {
	if metric == "rate" {
		v = -v
	}
	switch v {
	case stats.Lower:
		return report.Faster
	case stats.Higher:
		return report.Slower
	}
	return report.NoEffect
}

// row compares one metric of one label by what the runs allow: sets of runs as benchstat does, one new run with the spread of
// earlier ones, and single runs by the blocks of time inside them. The note says what limits the claim; "" when nothing does.
func row(a, b *Stored, label, metric string, confidence float64) (r report.ComparisonRow, note string, ok bool) {
	before, after := figures(a, label, metric), figures(b, label, metric)
	r = report.ComparisonRow{Label: label, Metric: metric, Verdict: report.NoEffect, Runs: min(len(before), len(after))}
	if len(before) == 0 || len(after) == 0 {
		return r, "", false
	}
	r.Baseline, r.Variant = median(before), median(after)
	r.Difference = relative(r.Baseline, r.Variant)
	switch {
	case a.whole:
		note = between(&r, before, after, confidence)
	case len(before) == 1 && len(after) == 1:
		note = within(&r, a.Runs[0].Intervals, b.Runs[0].Intervals, confidence)
	case len(after) == 1 || len(before) == 1:
		note = further(&r, before, after, confidence)
	default:
		note = between(&r, before, after, confidence)
	}
	return r, note, true
}

// between compares sets of runs, each of them one observation.
func between(r *report.ComparisonRow, before, after []float64, confidence float64) (note string) {
	c, err := stats.Compare(before, after, confidence)
	if err != nil {
		return err.Error()
	}
	r.Difference = report.Relative(c.Percent)
	if c.Warning == "" {
		r.Low, r.High = report.Relative(c.Low), report.Relative(c.High)
		r.Verdict = effect(r.Metric, c.Verdict())
	}
	return c.Warning
}

func figures(s *Stored, label, metric string) (values []float64) {
	for i := range s.Runs {
		if v, ok := figureOf(&s.Runs[i], label, metric); ok {
			values = append(values, v)
		}
	}
	return values
}

// relative is the difference in percent; nil from nothing to something.
func relative(before, after float64) *float64 {
	switch {
	case before == after:
		return report.Relative(0)
	case before == 0:
		return nil
	}
	return report.Relative(100 * (after - before) / before)
}

// Notes on what the runs do not tell.
const (
	noteOneRun  = "one run a side: the intervals hold for the time within the runs, not for what differs from run to run; save more runs to tell that"
	noteSummary = "no spread known: a summary.json alone has no seconds, so differences are shown without a verdict"
	noteShort   = "the runs are too short to tell the spread within them, so differences are shown without a verdict"
	noteTwo     = "three runs of one side are needed to hold a single run against them"
)

// within compares two single runs by resampling blocks of their time.
func within(r *report.ComparisonRow, a, b []*metrics.Interval, confidence float64) (note string) {
	if a == nil || b == nil {
		return noteSummary
	}
	selection := stats.Selection{Kind: metrics.RequestKind, Label: r.Label}
	if r.Label == report.AllRequests {
		selection.Label = ""
	}
	before, after := selection.Rows(a), selection.Rows(b)
	o := stats.Options{Confidence: confidence}
	var d stats.Difference
	var err error
	switch r.Metric {
	case "rate":
		d, err = stats.RatioDifference(stats.Rates(before), stats.Rates(after), o)
	case "failures":
		d, err = stats.RatioDifference(stats.Failures(before), stats.Failures(after), o)
	case "mean":
		d, err = stats.MeanDifference(stats.Responses(before), stats.Responses(after), o)
	default:
		level := map[string]float64{"p50": 50, "p95": 95, "p99": 99}[r.Metric]
		d, err = stats.QuantileDifference(stats.Responses(before), stats.Responses(after), level, o)
	}
	switch {
	case errors.Is(err, stats.ErrTooFew):
		return noteShort
	case err != nil:
		return err.Error()
	}
	r.Low, r.High = report.Relative(d.Low), report.Relative(d.High)
	r.Verdict = effect(r.Metric, d.Verdict())
	return noteOneRun
}

// further holds a single run against the range in which a further run of the other side would lie.
func further(r *report.ComparisonRow, before, after []float64, confidence float64) (note string) {
	many, one, sign := before, after[0], 1.0
	if len(before) == 1 {
		many, one, sign = after, before[0], -1
	}
	p, err := stats.Prediction(many, confidence)
	if err != nil {
		return noteTwo
	}
	if r.Baseline == 0 {
		return ""
	}
	low, high := 100*sign*(one-p.High)/r.Baseline, 100*sign*(one-p.Low)/r.Baseline
	if low > high {
		low, high = high, low
	}
	r.Low, r.High = report.Relative(low), report.Relative(high)
	// Runs that repeat exactly have no spread, and the same value again is no difference.
	const rounding = 1e-9
	switch {
	case math.Abs(one-p.Value) <= rounding*math.Abs(p.Value):
	case low > 0:
		r.Verdict = effect(r.Metric, stats.Higher)
	case high < 0:
		r.Verdict = effect(r.Metric, stats.Lower)
	}
	return ""
}
