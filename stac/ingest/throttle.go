package ingest

import (
	"context"
	"sync"
	"time"
)

// Bounds of a parallelism that finds itself.
const (
	// MaxAuto is the most requests at a time that an ingest goes up to by itself.
	MaxAuto = 32

	// startAuto is where it begins: many an ingest is over before much could be learnt.
	startAuto = 4
	// leastRound is the least number of answers that the mean of a round is made of, once the climb is over.
	leastRound = 8
	// tolerance is how much slower than its best an answer may become before the server counts as busy. A server that
	// works at n requests at once begins to queue beyond n, and is at twice its best time with 2n.
	tolerance = 2.5
	// probeEvery is the number of rounds after which the best time is measured anew at a quarter of the level: a store
	// that has grown is slower, and not busy for that.
	probeEvery = 64
)

// throttle bounds how much is in flight. With bounds apart it looks for the level itself, by additive increase and
// multiplicative decrease: a round is as many answers as the level; after a round of quick answers one more may be in
// flight (twice as many until the server was busy for the first time), after a slow one a quarter less, and half as
// many at once when the server refuses, fails or breaks off.
type throttle struct {
	least, most int

	mu     sync.Mutex
	wake   chan struct{} // closed and made anew when somebody may go on
	busy   int
	level  int
	peak   int
	climb  bool // doubles
	best   time.Duration
	rounds int // since best was measured anew
	before int // level to go back to after the round that measures; 0: none does
	count  int // answers of the round
	sum    time.Duration
	queued bool

	lowered time.Time // answers to requests that were sent until then say nothing of the level
}

// fixed lets n go at once.
func fixed(n int) *throttle {
	return &throttle{least: n, most: n, level: n, peak: n, wake: make(chan struct{})}
}

// adaptive finds out how many go at once, up to most.
func adaptive(most int) *throttle {
	level := min(startAuto, most)
	return &throttle{least: 1, most: most, level: level, peak: level, climb: true, wake: make(chan struct{})}
}

// acquire waits until one more may be in flight.
func (t *throttle) acquire(ctx context.Context) error {
	for {
		t.mu.Lock()
		if ctx.Err() == nil && t.busy < t.level {
			t.busy++
			t.mu.Unlock()
			return nil
		}
		wake := t.wake
		t.queued = true
		t.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release ends what acquire began.
func (t *throttle) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	t.rouse()
}

// rouse lets those look again who wait; mu is held.
func (t *throttle) rouse() {
	if t.queued {
		t.queued = false
		close(t.wake)
		t.wake = make(chan struct{})
	}
}

// restart forgets what an answer takes, since another kind of request follows.
func (t *throttle) restart() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level = max(t.level, t.before)
	t.best, t.rounds, t.before, t.count, t.sum = 0, 0, 0, 0, 0
}

// observe takes one answer: what it took, and whether the server was in trouble.
func (t *throttle) observe(took time.Duration, trouble bool) {
	if t.least == t.most {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !time.Now().Add(-took).After(t.lowered) {
		return
	}
	if trouble {
		t.lower(max(t.level, t.before) / 2)
		return
	}
	t.count++
	t.sum += took
	if t.count < t.level || !t.climb && t.before == 0 && t.count < leastRound {
		return
	}
	mean := t.sum / time.Duration(t.count)
	t.count, t.sum = 0, 0
	t.rounds++
	switch {
	case t.before > 0:
		t.best, t.level, t.before, t.rounds = mean, t.before, 0, 0
	case t.best > 0 && float64(mean) > tolerance*float64(t.best):
		t.lower(max(t.level*3/4, min(t.level, 2)))
	case t.rounds >= probeEvery:
		before := t.level
		t.lower(t.level / 4)
		t.before = before
	default:
		if t.best == 0 || mean < t.best {
			t.best = mean
		}
		next := t.level + 1
		if t.climb {
			next = 2 * t.level
		}
		t.level = min(next, t.most)
	}
	t.peak = max(t.peak, t.level)
	t.rouse()
}

// lower goes down to level, and from now on looks only at answers to what is sent from now on; mu is held.
func (t *throttle) lower(level int) {
	level = max(level, t.least)
	t.climb, t.before, t.count, t.sum = false, 0, 0, 0
	t.lowered, t.level = time.Now(), level
}

// levels returns the level of now and the highest so far.
func (t *throttle) levels() (now, peak int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.level, t.peak
}
