package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// percentiles holds the percentiles of service times against what the server's own log allows.
func (t *truth) percentiles() error {
	const users = 4
	rng := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	exponential := func(int64) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(rng.ExpFloat64() * float64(4*time.Millisecond))
	}
	for _, c := range []struct {
		name  string
		each  int // requests of each user
		delay func(n int64) time.Duration
	}{
		{"constant", 1000, func(int64) time.Duration { return 5 * time.Millisecond }},
		{"bimodal", 1500, func(n int64) time.Duration {
			if n%8 == 3 {
				return 20 * time.Millisecond
			}
			return time.Millisecond
		}},
		{"exponential", 1200, exponential},
	} {
		w, err := newWitness(func(n int64, _ time.Duration) (answer, time.Duration) { return complete, c.delay(n) })
		if err != nil {
			return err
		}
		each := max(c.each*t.scale/100, 100)
		launch := time.Since(w.begun)
		s, err := t.run(t.scenario(fmt.Sprintf("concurrency: %d\niterations: %d", users, each), w.url(), ""))
		lines := w.end()
		if err != nil {
			return err
		}
		least, most := bounds(lines, launch)
		t.equal(c.name, "samples, as the server counted", s.Total.Count, int64(len(least)))
		slices.Sort(least)
		slices.Sort(most)
		for _, p := range []struct {
			name string
			q    float64
			said float64
		}{{"p50", 50, s.Total.Service.P50}, {"p90", 90, s.Total.Service.P90}, {"p95", 95, s.Total.Service.P95}, {"p99", 99, s.Total.Service.P99}} {
			low, high := ms(rank(least, p.q)), ms(rank(most, p.q))
			t.hold(c.name, p.name+" within the server's log ± 0.1 % + 1 µs", p.said, low*0.999-0.001, high*1.001+0.001, "ms")
		}
		t.hold(c.name, "longest within the server's log", s.Total.Service.Max, ms(least[len(least)-1])-0.001, ms(most[len(most)-1])+0.001, "ms")
	}
	return nil
}

// rank is the nearest-rank percentile of sorted values.
func rank(sorted []time.Duration, q float64) time.Duration {
	n := int(math.Ceil(q / 100 * float64(len(sorted))))
	return sorted[min(max(n, 1), len(sorted))-1]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// stall lets the server stand still for a second under 1,000 arrivals per second. Arrival i of those that come meanwhile
// is answered when the stall ends, so its response time is what was left of the stall: 1 s − i/1,000 s. A service time can
// show it only for the requests that the users had under way.
func (t *truth) stall() error {
	const users, rate, length = 20, 1000, time.Second
	holds := time.Duration(max(8*t.scale/100, 4)) * time.Second
	var mu sync.Mutex
	first := time.Duration(-1)
	w, err := newWitness(func(_ int64, now time.Duration) (answer, time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		if first < 0 {
			first = now
		}
		if from := first + holds/2; now >= from && now < from+length {
			return complete, from + length - now
		}
		return complete, 0
	})
	if err != nil {
		return err
	}
	s, err := t.run(t.scenario(fmt.Sprintf("arrival-rate: %d\nhold-for: %s\nmax-concurrency: %d", rate, holds, users), w.url(), ""))
	lines := w.end()
	if err != nil {
		return err
	}
	n := int64(rate * holds.Seconds())
	t.hold("stall", "arrivals in the time", float64(s.Iterations.Scheduled), float64(n-1), float64(n+1), "")
	t.equal("stall", "samples, as the server counted", s.Total.Count, w.served.Load())

	t.stallResponses(s, lines, rate, n, holds, length)
	slow, err := t.slow(500)
	if err != nil {
		return err
	}
	most := 0
	for _, n := range slow {
		most = max(most, n)
	}
	t.equal("stall", "users whose service time shows it", int64(len(slow)), users)
	t.equal("stall", "slow service times of one user", int64(most), 1)
	return nil
}

// stallResponses holds response times against what the server's log makes of them: arrivals are taken in order, so the k-th to be read is
// the k-th that was due.
func (t *truth) stallResponses(s *said, lines []*line, rate, n int64, holds, length time.Duration) {
	var visits []visit
	for _, l := range lines {
		visits = append(visits, l.visits...)
	}
	slices.SortFunc(visits, func(a, b visit) int { return int(a.read - b.read) })
	due := func(k int) time.Duration { return time.Duration(k) * time.Second / time.Duration(rate) }
	origin := time.Duration(math.MaxInt64)
	for k, v := range visits[:len(visits)/4] {
		origin = min(origin, v.read-due(k))
	}
	response := make([]time.Duration, len(visits))
	for k, v := range visits {
		response[k] = v.wrote - origin - due(k)
	}
	ends := visits[0].read + holds/2 + length
	begins, _ := slices.BinarySearchFunc(visits, ends-length, func(v visit, at time.Duration) int { return int(v.read - at) })
	slices.Sort(response)
	r := s.Total.Response
	for _, p := range []struct {
		name   string
		q, got float64
	}{{"p90", 90, r.P90}, {"p95", 95, r.P95}, {"p99", 99, r.P99}, {"p99.9", 99.9, r.P999}, {"longest", 100, r.Max}} {
		want := ms(rank(response, p.q))
		t.hold("stall", p.name+" of response, server's log ± 1 % + 1 ms", p.got, want*0.99-1, want*1.01+1, "ms")
		if p.q > 90 {
			// The server answers who has waited one after the other, which its log tells.
			waited := int((1 - p.q/100) * float64(n))
			drained := ms(visits[min(begins+waited, len(visits)-1)].wrote - ends)
			theory := ms(length) - float64(waited)*1000/float64(rate) + max(0, drained)
			t.hold("stall", p.name+" of response, theory ± 1 %", p.got, theory-10, theory+10, "ms")
		}
	}
}

// slow counts the samples of each user that took as many milliseconds or more.
func (t *truth) slow(atLeast int) (map[string]int, error) {
	f, err := os.Open(t.samples())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	slow := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		if len(fields) < 6 {
			return nil, fmt.Errorf("%q is no sample of a JTL file", lines.Text())
		}
		if elapsed, err := strconv.Atoi(fields[1]); err == nil && elapsed >= atLeast {
			slow[fields[5]]++
		}
	}
	return slow, lines.Err()
}
