package ingest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// load sends n requests to a server that works at some at once for 10 ms each and lets the rest wait, and returns the
// level after that. Every request beyond limit in flight is refused.
func load(t *testing.T, th *throttle, n, servers, limit int) (level, peak, refused int) {
	t.Helper()
	slots := make(chan struct{}, servers)
	inFlight, done := 0, make(chan struct{}, n)
	count := make(chan int, 1)
	count <- inFlight
	refusals := make(chan int, 1)
	refusals <- 0
	for range n {
		if err := th.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		go func() {
			begin := time.Now()
			now := <-count
			count <- now + 1
			trouble := limit > 0 && now+1 > limit
			if trouble {
				refusals <- <-refusals + 1
				time.Sleep(time.Millisecond)
			} else {
				slots <- struct{}{}
				time.Sleep(10 * time.Millisecond)
				<-slots
			}
			count <- <-count - 1
			th.observe(time.Since(begin), trouble)
			th.release()
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
	level, peak = th.levels()
	return level, peak, <-refusals
}

func TestThrottleFindsTheServersLevel(t *testing.T) {
	tests := []struct {
		name           string
		throttle       func() *throttle
		servers, limit int
		low, high      int // of the level
		most           int // of the peak
	}{
		{name: "one at a time", throttle: func() *throttle { return adaptive(32) }, servers: 1, low: 1, high: 12, most: 16},
		{name: "eight at a time", throttle: func() *throttle { return adaptive(32) }, servers: 8, low: 8, high: 24, most: 32},
		{name: "as many as one likes", throttle: func() *throttle { return adaptive(32) }, servers: 1000, low: 8, high: 32, most: 32},
		{name: "refuses more than six", throttle: func() *throttle { return adaptive(32) }, servers: 1000, limit: 6, low: 1, high: 8, most: 16},
		{name: "fixed", throttle: func() *throttle { return fixed(5) }, servers: 1, low: 5, high: 5, most: 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				level, peak, refused := load(t, tt.throttle(), 2000, tt.servers, tt.limit)
				if level < tt.low || level > tt.high || peak > tt.most {
					t.Errorf("level %d, peak %d, want %d to %d and at most %d", level, peak, tt.low, tt.high, tt.most)
				}
				if refused > 500 {
					t.Errorf("%d of 2000 refused", refused)
				}
			})
		})
	}
}

func TestThrottleEndsWithItsContext(t *testing.T) {
	th := fixed(1)
	if err := th.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := th.acquire(ctx); err == nil {
		t.Error("two at once")
	}
	th.release()
	if err := th.acquire(t.Context()); err != nil {
		t.Error(err)
	}
}
