package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// load holds ramps and steps against their formulas: users by the connections that the server saw, arrivals by the
// requests.
func (t *truth) load() error {
	const users, ramp = 20, 4 * time.Second
	for _, c := range []struct {
		name, load string
		offset     time.Duration // of the moments from whole tenths of a second
		want       func(at time.Duration) float64
	}{
		{"ramp", "", 0, func(at time.Duration) float64 {
			return math.Min(users, math.Floor(users*at.Seconds()/ramp.Seconds())+1)
		}},
		// Four users start at once with each step, so moments lie between.
		{"steps", "\nsteps: 5", 50 * time.Millisecond, func(at time.Duration) float64 {
			step := math.Min(4, math.Floor(at.Seconds()/ramp.Seconds()*5))
			return math.Floor(users*(step+1)/5 + 0.5)
		}},
	} {
		w, err := newWitness(func(int64, time.Duration) (answer, time.Duration) { return complete, 20 * time.Millisecond })
		if err != nil {
			return err
		}
		_, err = t.run(t.scenario(fmt.Sprintf("concurrency: %d\nramp-up: %s\nhold-for: 1s%s", users, ramp, c.load), w.url(), ""))
		lines := w.end()
		if err != nil {
			return err
		}
		var starts []time.Duration
		for _, l := range lines {
			starts = append(starts, l.accepted)
		}
		worst := farthest(starts, c.offset, ramp+time.Second, c.want)
		t.hold(c.name, "farthest from the formula, every 100 ms", worst, 0, 1, "users")
	}
	return t.arrivals(ramp)
}

// arrivals holds when iterations begin under a rising arrival rate against the integral of the rate.
func (t *truth) arrivals(ramp time.Duration) error {
	const rate = 200.0
	w, err := newWitness(func(int64, time.Duration) (answer, time.Duration) { return complete, time.Millisecond })
	if err != nil {
		return err
	}
	lag := watchLag()
	s, err := t.run(t.scenario(fmt.Sprintf("arrival-rate: %g\nramp-up: %s\nhold-for: 1s\nmax-concurrency: 50", rate, ramp), w.url(), ""))
	own := lag()
	lines := w.end()
	if err != nil {
		return err
	}
	var reads []time.Duration
	for _, l := range lines {
		for _, v := range l.visits {
			reads = append(reads, v.read)
		}
	}
	// Arrivals that have fallen due: the integral of the rate, and the one at 0.
	due := func(at time.Duration) float64 {
		up := math.Min(at.Seconds(), ramp.Seconds())
		return math.Floor(rate*up*up/2/ramp.Seconds()+rate*math.Max(0, at.Seconds()-ramp.Seconds())) + 1
	}
	// The run began when no arrival was before its time. Then none may be far behind it, as far as this process and the
	// generator were given a processor.
	slices.Sort(reads)
	begun := time.Duration(math.MaxInt64)
	for k, read := range reads {
		at := math.Sqrt(2 * float64(k) * ramp.Seconds() / rate)
		if at > ramp.Seconds() {
			at = ramp.Seconds()/2 + float64(k)/rate
		}
		begun = min(begun, read-time.Duration(at*1e9))
	}
	late := time.Duration(0)
	for at := 100 * time.Millisecond; at < ramp+time.Second; at += 100 * time.Millisecond {
		n, _ := slices.BinarySearch(reads, begun+at)
		for late < at && due(at-late)-float64(n) > 1 {
			late += time.Millisecond
		}
	}
	t.hold("arrivals", "behind the formula, 10 ms + lag of both", ms(late), 0, 10+s.Generator.Lag+ms(own), "ms")
	t.hold("arrivals", "scheduled in all", float64(s.Iterations.Scheduled), rate*ramp.Seconds()/2+rate-1, rate*ramp.Seconds()/2+rate+1, "")
	return nil
}

// watchLag begins to watch how late this process wakes; the function that it gives ends that and tells the most.
func watchLag() func() time.Duration {
	stop, most := make(chan struct{}), make(chan time.Duration)
	go func() {
		const nap = time.Millisecond
		worst := time.Duration(0)
		for {
			slept := time.Now()
			select {
			case <-stop:
				most <- worst
				return
			case <-time.After(nap):
				worst = max(worst, time.Since(slept)-nap)
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-most
	}
}

// farthest compares how many have started with a formula every tenth of a second after the first start.
func farthest(starts []time.Duration, offset, until time.Duration, want func(at time.Duration) float64) float64 {
	slices.Sort(starts)
	worst := 0.0
	for at := offset + 100*time.Millisecond; at < until; at += 100 * time.Millisecond {
		n := 0
		for _, s := range starts {
			if s-starts[0] <= at {
				n++
			}
		}
		worst = math.Max(worst, math.Abs(float64(n)-want(at)))
	}
	return worst
}

// totals holds counts against those of a server that resets, truncates and falls silent.
func (t *truth) totals() error {
	for _, method := range []string{"POST", "GET"} {
		var did [4]int64
		w, err := newWitness(nil)
		if err != nil {
			return err
		}
		w.act = func(n int64, _ time.Duration) (answer, time.Duration) {
			what := complete
			switch {
			case n%41 == 40:
				what = silence
			case n%11 == 10:
				what = truncate
			case n%7 == 6:
				what = reset
			}
			w.mu.Lock()
			did[what]++
			w.mu.Unlock()
			return what, 0
		}
		each := max(1000*t.scale/100, 100)
		request := "method: " + method + "\ntimeout: 300ms"
		if method == "POST" {
			request += "\nbody: x"
		}
		s, err := t.run(t.scenario(fmt.Sprintf("concurrency: 4\niterations: %d", each), w.url(), request))
		_ = w.end()
		if err != nil {
			return err
		}
		name := "totals " + method
		t.equal(name, "requests finished, as many as planned", s.Requests.Finished, int64(4*each))
		t.equal(name, "requests started − interrupted − finished", s.Requests.Started-s.Requests.Interrupted-s.Requests.Finished, 0)
		t.equal(name, "exchanges, as the server counted", s.Requests.Exchanges, w.served.Load())
		t.equal(name, "answers cut short, as the server counted", s.Total.Faults["closed-early"], did[truncate])
		t.equal(name, "timeouts, as the server counted", s.Total.Faults["timeout"], did[silence])
		if method == "POST" { // a GET is sent again when a reused connection ends without an answer
			t.equal(name, "resets, as the server counted", s.Total.Faults["reset"], did[reset])
			t.equal(name, "failed requests, as the server counted", s.Requests.Failed, did[reset]+did[truncate]+did[silence])
		} else {
			t.equal(name, "answered requests, as the server counted", s.Total.Count-s.Requests.Failed, did[complete])
		}
	}
	return nil
}
