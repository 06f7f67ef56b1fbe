package html

import (
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/reporters/report"
)

func madeSweep() *report.Sweep {
	s := &report.Sweep{
		Name: "benchmark", Started: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Version: "1.0.0", RunTimeS: 60, SpawnRate: 100, WarmUpS: 5,
		APIs: []string{"http://127.0.0.1:8081", "http://127.0.0.1:8082", `</script><b>"odd"`}, Users: []int{1, 10, 50, 100, 200},
	}
	for k, api := range s.APIs {
		for _, users := range s.Users {
			if k == 2 && users == 200 {
				continue // missing
			}
			u := float64(users)
			median := float64(k+1) * (4 + u*u/900)
			row := report.SweepRow{
				API: api, Users: users, Requests: int64(3000 + users*40), MedianMS: median, P95MS: 2.4 * median, P99MS: 4 * median, MeanMS: 1.2 * median,
				MinMS: 1, MaxMS: 9 * median, RPS: 1000 * u / (u + 40) / float64(k+1), DurationS: 60, BytesReceived: 1 << 26, GeneratorCPU: u / 4, Outcome: report.ResultPassed,
			}
			if users == 200 {
				row.GeneratorLimited, row.GeneratorReason, row.Failures = true, "the processors were used to 91%", 33
			}
			s.Put(row)
		}
	}
	s.Put(report.SweepRow{API: s.APIs[2], Users: 100, Outcome: report.ResultError, Error: "dial tcp: <refused>"})
	s.Sort()
	return s
}

func TestSweep(t *testing.T) {
	for name, s := range map[string]*report.Sweep{"empty": {}, "one point": {APIs: []string{"a"}, Users: []int{1}, Rows: []report.SweepRow{{API: "a", Users: 1, Requests: 1}}}, "three addresses": madeSweep()} {
		t.Run(name, func(t *testing.T) {
			page := writtenStudy(t, &report.Study{Sweep: s})
			if rows := strings.Count(page, `<th scope="row">`); rows != len(s.Rows) {
				t.Errorf("%d rows, want %d", rows, len(s.Rows))
			}
		})
	}
}

// TestSweepThatIsNotComplete tells what is missing apart from an interruption that left nothing out.
func TestSweepThatIsNotComplete(t *testing.T) {
	whole := &report.Sweep{APIs: []string{"a"}, Users: []int{1}, Rows: []report.SweepRow{{API: "a", Users: 1, Requests: 1, Outcome: report.ResultPassed}}, Interrupted: true}
	lacking := *whole
	lacking.Users = []int{1, 2}
	for s, want := range map[*report.Sweep][2]string{
		whole: {"INTERRUPTED", "no run of it is missing"}, &lacking: {"INCOMPLETE", "it lacks 1 run; --resume measures only what is missing"},
	} {
		page := writtenStudy(t, &report.Study{Sweep: s})
		if !strings.Contains(page, want[0]) || !strings.Contains(page, want[1]) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
