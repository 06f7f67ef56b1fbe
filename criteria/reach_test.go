package criteria

import (
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

func TestPassedWindowSaysHowFarItCame(t *testing.T) {
	// Six seconds of 10 requests; in the last one only a stub without a failure.
	fails := []int{6, 6, 0, 6, 6, 6, 0}
	for _, tt := range []struct {
		sentence, observed string
		value              float64
	}{
		{"fail>10% for 20s", "3s of 20s in a row, at most 60%", 60},
		{"fail>70% for 2s", "at most 60%", 60},
		{"fail<10% for 4s", "1s of 4s in a row, at least 0%", 0},
		{"fail=20% for 4s", "nearest 0%", 0},
		{"hits>1 over 20s", "70 in 7s of 20s", 70},
		{"hits>60 over 3s", "at most 30", 30},
		{"fail>100 within 3s", "at most 18", 18},
		{"p95>1s for 5s", "at most 1ms", 0.001},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			f := newFold(compiled(t, sentence(t, tt.sentence)))
			for second, n := range fails {
				f.feed(interval(int64(second), traffic{label: "search", times: every(ms, 10), failed: n}))
			}
			v := f.judge.End(f.snap, false)[0]
			if v.Result != Passed || v.Observed != tt.observed || v.ObservedValue != tt.value {
				t.Errorf("%s, observed %q (%v); want %q (%v)", v.Result, v.Observed, v.ObservedValue, tt.observed, tt.value)
			}
		})
	}
}

func TestHiddenLabelIsAMistake(t *testing.T) {
	labels := plan()
	labels.Hidden = []Label{{Execution: "main", Name: "inner"}}
	_, found := Compile([]config.Criterion{sentence(t, "hits of inner<1")}, labels, Options{})
	if len(found) != 1 || found[0].Code != "unknown-label" || !strings.Contains(found[0].Hint, "force-parent-sample") {
		t.Errorf("%+v", found)
	}
}

func TestWindowLongerThanThePlan(t *testing.T) {
	one := Labels{Executions: []Execution{{Name: "main", Measured: 4 * time.Second}}}
	two := Labels{Executions: []Execution{{Name: "main", Measured: 4 * time.Second}, {Name: "other", Measured: 3 * time.Second}}}
	for _, tt := range []struct {
		name, sentence, execution string
		labels                    Labels
		plan                      time.Duration
		want                      string
	}{
		{"for", "fail>10% for 20s", "", one, 6 * time.Second, "the window of 20s is longer than the execution (4s), which can not fill it"},
		{"over", "hits>1 over 5s", "", one, 6 * time.Second, "the window of 5s is longer than the execution (4s), which can not fill it"},
		{"within may trigger before", "hits>1 within 20s", "", one, 6 * time.Second, ""},
		{"it fits", "hits>1 for 4s", "", one, 6 * time.Second, ""},
		{"at the end", "hits>1", "", one, 6 * time.Second, ""},
		{"no known end", "fail>10% for 20s", "", Labels{Executions: []Execution{{Name: "main"}}}, 0, ""},
		{"one after the other", "fail>10% for 6s", "", two, 7 * time.Second, ""},
		{"all of them", "fail>10% for 8s", "", two, 7 * time.Second, "the window of 8s is longer than the plan (7s), which can not fill it"},
		{"of one execution", "fail>10% for 4s", "other", two, 7 * time.Second, "the window of 4s is longer than the execution (3s), which can not fill it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := sentence(t, tt.sentence)
			c.Execution = tt.execution
			_, found := Compile([]config.Criterion{c}, tt.labels, Options{Duration: tt.plan})
			var got []string
			for _, d := range found {
				if d.Severity != diag.Warning || d.Hint == "" {
					t.Errorf("%+v", d)
				}
				got = append(got, d.Message)
			}
			if text := strings.Join(got, "; "); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}
