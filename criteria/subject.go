package criteria

import (
	"fmt"
	"math"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// kind is what a subject measures; config reads it from the name.
type kind = config.SubjectKind

const (
	avgRT       = config.SubjectAvgRT
	avgLT       = config.SubjectAvgLT
	avgCT       = config.SubjectAvgCT
	stdevRT     = config.SubjectStdevRT
	percentile  = config.SubjectPercentile
	hits        = config.SubjectHits
	succ        = config.SubjectSucc
	fail        = config.SubjectFail
	code        = config.SubjectCode
	bytes       = config.SubjectBytes
	concurrency = config.SubjectConcurrency
	dropped     = config.SubjectDropped
	achieved    = config.SubjectAchieved
	generator   = config.SubjectGenerator
	processor   = config.SubjectProcessor
	memory      = config.SubjectMemory
)

// subject is what a rule speaks about.
type subject struct {
	kind    kind
	level   float64     // percentile, 0…100
	codes   codePattern // code
	percent bool        // the value is a share in percent instead of a count
}

// gathering is how the seconds of a window become one value.
type gathering uint8

const (
	gatherMean gathering = iota
	gatherSum
	gatherRatio // Σ part / Σ whole
)

// parseSubject reads the name of a subject and says whether its value is a share. Its errors are for people.
func parseSubject(name string, percent bool, class string) (subject, error) {
	about, err := config.ParseSubject(name, class)
	s := subject{kind: about.Kind, level: about.Level, percent: percent}
	switch {
	case err != nil:
		return s, err
	case s.kind == code:
		s.codes = parseCodePattern(about.Codes)
	case s.kind == achieved, s.kind == processor:
		s.percent = true
	case s.kind == memory:
		s.percent = false // what was written as a share is told of where the rule is compiled
	}
	if s.percent && !about.HasShare() && s.kind != processor {
		return s, fmt.Errorf("%s has no percentage", name)
	}
	return s, nil
}

// gathering follows Taurus: counts add up over a window, everything else is the unweighted mean of
// the seconds.
func (s subject) gathering() gathering {
	switch {
	case s.kind == achieved:
		return gatherRatio
	case s.counts():
		return gatherSum
	}
	return gatherMean
}

// counts tells whether an empty second says something: after the first traffic it counts as 0.
func (s subject) counts() bool {
	switch s.kind {
	case hits, dropped:
		return true
	case succ, fail, code, generator:
		return !s.percent
	}
	return false
}

// needsSamples tells whether the subject is about samples, so that there may be no data.
func (s subject) needsSamples() bool {
	switch s.kind {
	case dropped, achieved, generator, processor, memory:
		return false
	}
	return true
}

// unit is what values of the subject are counted in.
func (s subject) unit() unit {
	switch s.kind {
	case avgRT, avgLT, avgCT, stdevRT, percentile:
		return unitSeconds
	case bytes, memory:
		return unitBytes
	}
	if s.percent {
		return unitPercent
	}
	return unitCount
}

// ofRow gives the value over the samples of a row; false when the row has no such data.
func (s subject) ofRow(r *metrics.Row) (float64, bool) {
	if r == nil || r.Finished == 0 {
		return 0, false
	}
	switch s.kind {
	case avgRT:
		return seconds(r.Response.Mean()), r.Response.Count > 0
	case avgLT:
		return seconds(r.Latency.Mean()), r.Latency.Count > 0
	case avgCT:
		// Taurus averages over all samples that were sent; those on a reused connection took 0 to connect.
		return seconds(float64(r.Connect.Total)) / float64(max(1, r.Service.Count)), r.Service.Count > 0
	case stdevRT:
		return seconds(r.Response.Stdev()), r.Response.Count > 0
	case percentile:
		return seconds(float64(r.Response.Quantile(s.level))), r.Response.Count > 0
	case hits:
		return float64(r.Finished), true
	case succ:
		return s.share(r.Finished-r.Failed, r.Finished), true
	case fail:
		return s.share(r.Failed, r.Finished), true
	case code:
		return s.share(s.codes.count(r), r.Finished), true
	case bytes:
		return float64(r.BytesIn), true
	case concurrency:
		return float64(r.Users.Max), true
	}
	return 0, false
}

// share gives part itself, or in percent of whole where the subject asks for that.
func (s subject) share(part, whole int64) float64 {
	if !s.percent {
		return float64(part)
	}
	return 100 * float64(part) / float64(whole)
}

func seconds(ns float64) float64 {
	if math.IsNaN(ns) {
		return 0
	}
	return ns / 1e9
}
