package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// exactQuantile is HdrHistogram's definition on the values themselves: the one whose rank is nearest to q
// percent of their number.
func exactQuantile(sorted []time.Duration, q float64) time.Duration {
	rank := int(q/100*float64(len(sorted)) + 0.5)
	return sorted[max(rank, 1)-1]
}

// TestPercentilesOfKnownDelays runs against servers whose delays are known exactly: what is reported
// lies within the histogram's error (three digits) and its resolution (1 µs).
func TestPercentilesOfKnownDelays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	distributions := map[string]func() time.Duration{
		"constant": func() time.Duration { return 12345 * time.Microsecond },
		"bimodal": func() time.Duration {
			if rng.IntN(10) == 0 {
				return 750 * time.Millisecond
			}
			return 2 * time.Millisecond
		},
		"exponential": func() time.Duration { return time.Duration(rng.ExpFloat64() * float64(20*time.Millisecond)) },
		"wide":        func() time.Duration { return time.Duration(math.Pow(10, 3+6*rng.Float64())) },
	}
	for name, draw := range distributions {
		t.Run(name, func(t *testing.T) {
			const requests = 5000
			var mu sync.Mutex
			var delays []time.Duration
			d := dryRun(t, fmt.Sprintf("execution: [{concurrency: 10, total-iterations: %d, scenario: s}]", requests)+oneRequest, func(string, int) fakeAnswer {
				mu.Lock()
				defer mu.Unlock()
				delay := draw()
				delays = append(delays, delay)
				return fakeAnswer{after: delay, status: 200}
			}, nil)
			row := d.Total()
			if row.Finished != requests || len(delays) != requests {
				t.Fatalf("%d samples of %d requests, want %d", row.Finished, len(delays), requests)
			}
			slices.Sort(delays)
			for _, q := range []float64{0, 1, 25, 50, 75, 90, 95, 99, 99.9, 100} {
				want, got := exactQuantile(delays, q), row.Service.Quantile(q)
				if tolerance := 0.001*float64(want) + 1000; math.Abs(got-float64(want)) > tolerance {
					t.Errorf("p%v is %v, want %v ± %v", q, time.Duration(got), want, time.Duration(tolerance))
				}
			}
			sum := time.Duration(0)
			for _, delay := range delays {
				sum += delay
			}
			if row.Service.Total != int64(sum) || row.Service.Min != int64(delays[0]) || row.Service.Max != int64(delays[requests-1]) {
				t.Errorf("sum %d, min %d, max %d are not exact: want %d, %d, %d",
					row.Service.Total, row.Service.Min, row.Service.Max, sum, delays[0], delays[requests-1])
			}
		})
	}
}

// TestServerAgrees holds what a real server saw of its own requests against what is reported: as many
// requests, and no percentile below the time that the server itself took.
func TestServerAgrees(t *testing.T) {
	var mu sync.Mutex
	var took []time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		begin := time.Now()
		mu.Lock()
		n := len(took)
		took = append(took, 0)
		mu.Unlock()
		time.Sleep(time.Duration(n%7) * 3 * time.Millisecond)
		mu.Lock()
		took[n] = time.Since(begin)
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	snapshot := runPlan(t, compile(t, "execution: [{concurrency: 4, iterations: 50, scenario: s}]\nscenarios: {s: {requests: ['"+server.URL+"']}}"), RunOptions{})
	row := snapshot.Total()
	if row.Finished != 200 || len(took) != 200 || row.Exchanges != 200 {
		t.Fatalf("%d samples, %d exchanges, the server saw %d, want 200", row.Finished, row.Exchanges, len(took))
	}
	slices.Sort(took)
	for _, q := range []float64{50, 90, 99, 100} {
		if got, least := row.Service.Quantile(q), float64(exactQuantile(took, q)); got < least*0.999-1000 {
			t.Errorf("p%v is %v, but the server alone took %v", q, time.Duration(got), time.Duration(least))
		}
	}
}
