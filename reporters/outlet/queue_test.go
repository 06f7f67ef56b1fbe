package outlet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink collects what is delivered.
type sink struct {
	mu    sync.Mutex
	items []int
	fail  func(attempt int) error
	tries int
}

func (s *sink) deliver(_ context.Context, batch []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.fail != nil {
		if err := s.fail(s.tries); err != nil {
			return err
		}
	}
	s.items = append(s.items, batch...)
	return nil
}

func numbers(from, to int) (list []int) {
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

func TestQueueDeliversInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{}
		q := Start(Options{Name: "x"}, s.deliver)
		for _, n := range numbers(0, 25) {
			q.Put(n)
		}
		if notice := q.Close(); notice != "" {
			t.Error(notice)
		}
		if diff := cmp.Diff(numbers(0, 25), s.items); diff != "" {
			t.Error(diff)
		}
		q.Put(1) // after the end: ignored
		if notice := q.Close(); notice != "" {
			t.Error(notice)
		}
	})
}

func TestQueueTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{fail: func(attempt int) error {
			if attempt < 4 {
				return errors.New("down")
			}
			return nil
		}}
		q := Start(Options{Name: "x"}, s.deliver)
		for _, n := range numbers(0, 12) {
			q.Put(n)
			time.Sleep(time.Second)
		}
		if notice := q.Close(); notice != "" {
			t.Error(notice)
		}
		if diff := cmp.Diff(numbers(0, 12), s.items); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQueueOfADeadReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{fail: func(int) error { return errors.New("connection refused") }}
		q := Start(Options{Name: "influx at x", Capacity: 20}, s.deliver)
		for _, n := range numbers(0, 50) {
			q.Put(n)
			time.Sleep(time.Second)
		}
		begin := time.Now()
		notice := q.Close()
		if want := "influx at x: 50 of 50 seconds were not delivered: connection refused"; notice != want {
			t.Errorf("%q, want %q", notice, want)
		}
		if waited := time.Since(begin); waited > DefaultTimeout {
			t.Errorf("the end waited %v for a receiver that answers at once", waited)
		}
		if s.tries < 5 || s.tries > 30 {
			t.Errorf("%d attempts in 50 s", s.tries)
		}
	})
}

func TestQueueOfAHangingReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ []int) error {
			<-ctx.Done()
			return ctx.Err()
		}
		q := Start(Options{Name: "x", Capacity: 5, Batch: 2}, hang)
		for _, n := range numbers(0, 30) {
			begin := time.Now()
			q.Put(n)
			if time.Since(begin) != 0 {
				t.Fatal("putting waited")
			}
			time.Sleep(time.Second)
		}
		begin := time.Now()
		notice := q.Close()
		if !strings.HasPrefix(notice, "x: 30 of 30 seconds were not delivered") {
			t.Error(notice)
		}
		if waited := time.Since(begin); waited > DefaultTimeout+time.Second {
			t.Errorf("the end waited %v", waited)
		}
	})
}

func TestQueueLosesWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{fail: func(attempt int) error {
			if attempt == 1 {
				return Permanent(errors.New("status 400"))
			}
			return nil
		}}
		q := Start(Options{Name: "x", Batch: 1, Unit: "messages"}, s.deliver)
		q.Put(1)
		synctest.Wait()
		q.Put(2)
		if got, want := q.Close(), "x: 1 of 2 messages were not delivered: status 400"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if !slices.Equal(s.items, []int{2}) {
			t.Error(s.items)
		}
	})
}

// TestQueueOfAWriterThatHeedsNothing is a pipe that nobody reads: the end comes nevertheless.
func TestQueueOfAWriterThatHeedsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		q := Start(Options{Name: "x", Batch: 1}, func(context.Context, []int) error {
			<-release
			return nil
		})
		q.Put(1)
		q.Put(2)
		if notice := q.Close(); !strings.HasPrefix(notice, "x: 2 of 2 seconds") {
			t.Error(notice)
		}
		close(release)
	})
}

func TestQueueInAHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ []int) error {
			<-ctx.Done()
			return ctx.Err()
		}
		q := Start(Options{Name: "x"}, hang)
		q.Put(1)
		begin := time.Now()
		time.AfterFunc(time.Second, q.Hurry)
		if notice := q.Close(); !strings.HasPrefix(notice, "x: 1 of 1 seconds were not delivered") {
			t.Error(notice)
		}
		if waited := time.Since(begin); waited != time.Second {
			t.Errorf("the end waited %v, and was hurried after a second", waited)
		}
	})
}
