package criteria

import (
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// spreadBaseline has one value and a spread for everything.
type spreadBaseline struct{ value, low, high float64 }

func (b spreadBaseline) Value(string, bool, string, string) (float64, bool) { return b.value, true }
func (b spreadBaseline) Spread(string, bool, string, string) (low, high float64, ok bool) {
	return b.low, b.high, true
}

func TestDifferenceWithinTheSpreadDoesNotFail(t *testing.T) {
	for _, tt := range []struct {
		name string
		rule config.Criterion
		base Baseline
		want Result
		says string
	}{
		{"beyond limit and spread", sentenceOf("p50", ">", 110), spreadBaseline{0.1, 0.08, 0.12}, Failed, "widened to the spread"},
		{"beyond the limit, within the spread", sentenceOf("p50", ">", 110), spreadBaseline{0.1, 0.05, 0.2}, Passed, "widened to the spread"},
		{"spread smaller than the limit", sentenceOf("p50", ">", 200), spreadBaseline{0.1, 0.09, 0.11}, Passed, "200% of the baseline's 100ms)"},
		{"assert beyond", assertOf(`p50() <= 1.1 * baseline.p50()`), spreadBaseline{0.1, 0.08, 0.12}, Failed, ""},
		{"assert within", assertOf(`p50() <= 1.1 * baseline.p50()`), spreadBaseline{0.1, 0.05, 0.2}, Passed, "within the spread"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judge, found := Compile([]config.Criterion{tt.rule}, Labels{}, Options{Baseline: tt.base})
			if found.HasErrors() {
				t.Fatal(found)
			}
			iv := &metrics.Interval{Rows: []metrics.Row{traffic{label: "x", times: every(150*time.Millisecond, 10)}.row()}}
			snapshot := metrics.NewSnapshot()
			snapshot.Add(iv)
			judge.Observe(iv, snapshot)
			v := judge.End(snapshot, false)[0]
			if v.Result != tt.want || !strings.Contains(v.Limit+" "+v.Reason, tt.says) {
				t.Errorf("%s, limit %q, reason %q", v.Result, v.Limit, v.Reason)
			}
		})
	}
}

func sentenceOf(subject, condition string, percent float64) config.Criterion {
	return config.Criterion{Subject: subject, Condition: condition, Threshold: percent, Percent: true, Baseline: true, Fail: true}
}

func assertOf(text string) config.Criterion {
	return config.Criterion{Text: text, Assert: text, Fail: true}
}

func TestStoredReadsWhatRulesSee(t *testing.T) {
	stored := NewStored([]*metrics.Interval{{Rows: []metrics.Row{traffic{label: "x", times: every(100*time.Millisecond, 10), failed: 1}.row()}}})
	for _, tt := range []struct {
		subject string
		percent bool
		want    float64
	}{{"hits", false, 10}, {"fail", true, 10}, {"rc500", false, 1}, {"rate", false, 10}} {
		if got, ok := stored.Value(tt.subject, tt.percent, "", "x"); !ok || got != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.subject, got, ok, tt.want)
		}
	}
	if _, ok := stored.Value("hits", false, "", "unknown"); ok {
		t.Error("a label that was never seen has a value")
	}
}
