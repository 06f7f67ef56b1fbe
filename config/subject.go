package config

import (
	"fmt"
	"strconv"
	"strings"
)

// SubjectKind is what the subject of a criterion measures.
type SubjectKind uint8

// The kinds of subject.
const (
	SubjectAvgRT SubjectKind = iota // means and deviation, seconds
	SubjectAvgLT
	SubjectAvgCT
	SubjectStdevRT
	SubjectPercentile // seconds
	SubjectHits       // samples
	SubjectSucc
	SubjectFail
	SubjectCode        // samples whose code matches the pattern
	SubjectBytes       // received
	SubjectConcurrency // users
	SubjectDropped     // iterations
	SubjectAchieved    // started iterations in percent of scheduled ones; under a throughput cap, of requests
	SubjectGenerator   // seconds in which the generator was the bottleneck, or their share
	SubjectProcessor   // CPU share of the generator in percent (Taurus' local/cpu)
	SubjectMemory      // resident bytes of the generator (local/mem, which is a share of the machine's in Taurus)
)

// MonitoringClass marks criteria on resources, in Taurus' long form.
const MonitoringClass = "bzt.modules.monitoring.MonitoringCriteria"

// Subject is what a criterion speaks about.
type Subject struct {
	Kind  SubjectKind
	Name  string  // canonical: "failures" is "fail", "rc5xx" is "rc5??"
	Level float64 // of a percentile, 0…100
	Codes string  // pattern of codes, as a shell's
}

// HasShare reports whether the subject can be a share in percent instead of a number.
func (s Subject) HasShare() bool {
	switch s.Kind {
	case SubjectSucc, SubjectFail, SubjectCode, SubjectGenerator, SubjectAchieved:
		return true
	}
	return false
}

// fixedSubjects are those of which the whole name is fixed.
var fixedSubjects = map[string]SubjectKind{
	"avg-rt": SubjectAvgRT, "avg-lt": SubjectAvgLT, "avg-ct": SubjectAvgCT, "stdev-rt": SubjectStdevRT, "hits": SubjectHits,
	"bytes": SubjectBytes, "dropped": SubjectDropped, "achieved": SubjectAchieved, "generator": SubjectGenerator,
}

// ParseSubject reads the name of a subject; class is "", or [MonitoringClass] for source/metric. Its errors are for people.
func ParseSubject(name, class string) (Subject, error) {
	if class != "" {
		return parseResource(name, class)
	}
	s := Subject{Name: name}
	kind, fixed := fixedSubjects[name]
	switch {
	case fixed:
		s.Kind = kind
	case isWordFrom(name, "concurr"): // Taurus takes any word that begins so
		s.Kind, s.Name = SubjectConcurrency, "concurrency"
	case isWordFrom(name, "succ"):
		s.Kind, s.Name = SubjectSucc, "succ"
	case isWordFrom(name, "fail"):
		s.Kind, s.Name = SubjectFail, "fail"
	case strings.HasPrefix(name, "rc") && len(name) > len("rc"):
		s.Kind, s.Codes = SubjectCode, name[len("rc"):]
		if len(s.Codes) == len("5xx") && strings.Trim(s.Codes, "0123456789xX?") == "" {
			s.Codes = strings.NewReplacer("x", "?", "X", "?").Replace(s.Codes) // accept and retry write it so
			s.Name = "rc" + s.Codes
		}
	default:
		level, ok := percentileLevel(name)
		if !ok {
			return s, fmt.Errorf("unknown subject %q", name)
		}
		s.Kind, s.Level = SubjectPercentile, level
	}
	return s, nil
}

// parseResource reads the subject of a monitoring criterion. Only the generator itself is watched.
func parseResource(name, class string) (Subject, error) {
	s := Subject{Name: name}
	source, metric, found := strings.Cut(name, "/")
	switch {
	case class != MonitoringClass:
		return s, fmt.Errorf("unknown class %q", class)
	case !found || metric == "":
		return s, fmt.Errorf("a monitoring subject is source/metric, got %q", name)
	case source != "local":
		return s, fmt.Errorf("only this machine is watched, not %q", source)
	case metric == "cpu":
		s.Kind = SubjectProcessor
	case metric == "mem":
		s.Kind = SubjectMemory
	default:
		return s, fmt.Errorf("only processor and memory are watched, not %q", metric)
	}
	return s, nil
}

// isWordFrom reports whether name is prefix and more letters, as Taurus takes it (succ, success, …).
func isWordFrom(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
}

// percentileLevel reads the level of a percentile such as p95 or p99.9.
func percentileLevel(name string) (level float64, ok bool) {
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, false
	}
	level, err := strconv.ParseFloat(digits, 64)
	return level, err == nil && level <= 100
}
