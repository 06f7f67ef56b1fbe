package study

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/stacrun/stacrun/internal/input"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// summary is what is needed of a summary.json.
type summary struct {
	Name    string         `json:"name"`
	Started time.Time      `json:"started"`
	Total   summaryLabel   `json:"total"`
	Labels  []summaryLabel `json:"labels"`
	kept    map[string]*summaryLabel
}

type summaryLabel struct {
	Label    string           `json:"label"`
	Kind     string           `json:"kind"`
	Count    float64          `json:"count"`
	Failures float64          `json:"failures"`
	Rate     *float64         `json:"rate"`
	Bytes    float64          `json:"bytes_received"`
	Response map[string]any   `json:"response_ms"`
	Codes    map[string]int64 `json:"codes"`
	First    *float64         `json:"first_byte_mean_ms"`
	Connect  *float64         `json:"connect_mean_ms"`
}

// openSummary reads a summary.json, which has no seconds and so no spread.
func openSummary(name string) (StoredRun, error) {
	text, err := input.File(name, input.MaxContent)
	if err != nil {
		return StoredRun{}, fmt.Errorf("read the summary: %w", err)
	}
	s := &summary{kept: map[string]*summaryLabel{}}
	if err := json.Unmarshal(text, s); err != nil {
		return StoredRun{}, fmt.Errorf("%s is not a summary of a run: %w", name, err)
	}
	if s.Total.Count == 0 || s.Total.Response == nil {
		return StoredRun{}, fmt.Errorf("%s holds no summary of a run with finished requests", name)
	}
	run := StoredRun{Dir: filepath.Dir(name), Name: s.Name, Started: s.Started, figures: s}
	s.kept[""] = &s.Total
	for i := range s.Labels {
		l := &s.Labels[i]
		if s.kept[l.Label] == nil {
			s.kept[l.Label] = l
		}
		if l.Kind == report.KindName(metrics.RequestKind) && l.Count > 0 {
			run.labels = append(run.labels, l.Label)
		}
	}
	return run, nil
}

// Value implements [criteria.Baseline] as far as a summary goes: it merges executions, and has six percentiles.
func (s *summary) Value(subject string, percent bool, execution, label string) (float64, bool) {
	l := s.kept[label]
	if l == nil || execution != "" || l.Count == 0 {
		return 0, false
	}
	ms := func(key string) (float64, bool) {
		v, ok := l.Response[key].(float64)
		return v / 1000, ok
	}
	pointer := func(p *float64, unit float64) (float64, bool) {
		if p == nil {
			return 0, false
		}
		return *p / unit, true
	}
	share := func(n float64) (float64, bool) {
		if percent {
			return 100 * n / l.Count, true
		}
		return n, true
	}
	switch {
	case subject == "avg-rt":
		return ms("mean")
	case subject == "stdev-rt":
		return ms("stdev")
	case subject == "avg-lt":
		return pointer(l.First, 1000)
	case subject == "avg-ct":
		return pointer(l.Connect, 1000)
	case subject == "hits":
		return l.Count, true
	case subject == "rate":
		return pointer(l.Rate, 1)
	case subject == "bytes":
		return l.Bytes, true
	case strings.HasPrefix(subject, "succ"):
		return share(l.Count - l.Failures)
	case strings.HasPrefix(subject, "fail"):
		return share(l.Failures)
	case strings.HasPrefix(subject, "rc"):
		return share(s.codes(l, subject[2:]))
	case subject == "p0":
		return ms("min")
	case subject == "p100":
		return ms("max")
	case strings.HasPrefix(subject, "p"):
		return ms(strings.ReplaceAll(subject, ".", ""))
	}
	return 0, false
}

func (s *summary) codes(l *summaryLabel, pattern string) (n float64) {
	for code, count := range l.Codes {
		if ok, err := filepath.Match(pattern, code); ok && err == nil {
			n += float64(count)
		}
	}
	return n
}
