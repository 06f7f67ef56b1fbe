package criteria

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/metrics"
)

// kind is what a subject measures.
type kind uint8

const (
	avgRT kind = iota // means and deviation, seconds
	avgLT
	avgCT
	stdevRT
	percentile // seconds
	hits       // samples
	succ
	fail
	code        // samples whose code matches the pattern
	bytes       // received
	concurrency // users
	dropped     // iterations
	achieved    // started iterations in percent of scheduled ones; under a throughput cap, of requests
	generator   // seconds in which the generator was the bottleneck, or their share
	processor   // CPU share of the generator in percent (Taurus' local/cpu)
	memory      // resident bytes of the generator (local/mem, which is a share of the machine's in Taurus)
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

// monitoringClass marks criteria on resources, in Taurus' long form.
const monitoringClass = "bzt.modules.monitoring.MonitoringCriteria"

// parseSubject reads the name of a subject. Its errors are for people.
func parseSubject(name string, percent bool, class string) (subject, error) {
	s := subject{percent: percent}
	if class != "" {
		return parseResource(name, class)
	}
	switch {
	case name == "avg-rt":
		s.kind = avgRT
	case name == "avg-lt":
		s.kind = avgLT
	case name == "avg-ct":
		s.kind = avgCT
	case name == "stdev-rt":
		s.kind = stdevRT
	case name == "hits":
		s.kind = hits
	case strings.HasPrefix(name, "succ"):
		s.kind = succ
	case strings.HasPrefix(name, "fail"):
		s.kind = fail
	case strings.HasPrefix(name, "rc") && len(name) > 2:
		s.kind, s.codes = code, parseCodePattern(name[2:])
	case name == "bytes":
		s.kind = bytes
	case strings.HasPrefix(name, "concurr"):
		s.kind = concurrency
	case name == "dropped":
		s.kind = dropped
	case name == "achieved":
		s.kind, s.percent = achieved, true
		return s, nil
	case name == "generator":
		s.kind = generator
	default:
		level, ok := parseLevel(name)
		if !ok {
			return s, fmt.Errorf("unknown subject %q", name)
		}
		s.kind, s.level = percentile, level
	}
	if percent && s.kind != succ && s.kind != fail && s.kind != code && s.kind != generator {
		return s, fmt.Errorf("%s has no percentage", name)
	}
	return s, nil
}

// parseResource reads the subject of a monitoring criterion. Only the generator itself is watched.
func parseResource(name, class string) (subject, error) {
	if class != monitoringClass && class != "monitoring" {
		return subject{}, fmt.Errorf("unknown class %q", class)
	}
	source, metric, ok := strings.Cut(name, "/")
	if !ok {
		return subject{}, fmt.Errorf("no \"/\" in the subject %q of a monitoring criterion", name)
	}
	switch {
	case source == "local" && metric == "cpu":
		return subject{kind: processor, percent: true}, nil
	case source == "local" && metric == "mem":
		return subject{kind: memory}, nil
	}
	return subject{}, fmt.Errorf("%q cannot be watched", name)
}

// parseLevel reads the level of a percentile such as p95 or p99.9.
func parseLevel(name string) (float64, bool) {
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	level, err := strconv.ParseFloat(digits, 64)
	return level, err == nil && level <= 100
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
