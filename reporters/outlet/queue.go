package outlet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stacrun/stacrun/internal/dying"
)

// DefaultTimeout bounds one attempt to deliver, and how long the end of a run waits for the last one.
const DefaultTimeout = 5 * time.Second

// Options of a [Queue].
type Options struct {
	Name     string        // of the receiver, as notices say it: protocol and host, without secrets
	Unit     string        // what is counted, in the plural; "": seconds
	Capacity int           // items that wait at most; the oldest are lost beyond; 0: 120
	Batch    int           // items per attempt at most; 0: 10
	Timeout  time.Duration // of one attempt, and of all that is left at the end; 0: [DefaultTimeout]
	Dying    func()        // called when the queue's goroutine panics, before the process ends by it: for who holds the terminal; nil: nobody does
	Backoff  time.Duration // after the first failure, doubled up to 16 times; 0: 500 ms
}

// Queue hands items to a receiver from a goroutine of its own. Putting one never waits. What a
// receiver does not take is tried again until there is no more room for it; then it is lost and
// counted.
type Queue[T any] struct {
	options Options
	deliver func(context.Context, []T) error
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{} // holds one: there is something to do
	closing chan struct{}
	done    chan struct{}

	mu      sync.Mutex // guards what follows
	items   []T
	offered int64
	flying  int64 // items of the attempt under way
	lost    int64
	closed  bool
	last    error // of the last attempt that failed
}

// Start makes a queue and its goroutine, which ends with [Queue.Close]. deliver gets items in order;
// an error marked by [Permanent] loses them, any other lets them be tried again.
func Start[T any](o Options, deliver func(context.Context, []T) error) *Queue[T] {
	if o.Capacity <= 0 {
		o.Capacity = 120
	}
	if o.Batch <= 0 {
		o.Batch = 10
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Backoff <= 0 {
		o.Backoff = 500 * time.Millisecond
	}
	if o.Unit == "" {
		o.Unit = "seconds"
	}
	q := &Queue[T]{
		options: o, deliver: deliver,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	go q.run()
	return q
}

// Put adds an item and returns at once.
func (q *Queue[T]) Put(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.offered++
	q.items = append(q.items, item)
	q.trim()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// trim loses the oldest items beyond the capacity. The caller holds the lock.
func (q *Queue[T]) trim() {
	if over := len(q.items) - q.options.Capacity; over > 0 {
		q.lost += int64(over)
		q.items = append(q.items[:0:0], q.items[over:]...)
	}
}

// Close delivers what is left, for the timeout at most, ends the goroutine and says in one sentence
// what was lost; "" when nothing was.
func (q *Queue[T]) Close() string {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ""
	}
	q.closed = true
	q.mu.Unlock()
	close(q.closing)
	stop := time.AfterFunc(q.options.Timeout, q.cancel)
	defer stop.Stop()
	// A write to a pipe that nobody reads does not heed its context; the run ends nevertheless.
	last := time.NewTimer(q.options.Timeout + time.Second)
	defer last.Stop()
	select {
	case <-q.done:
	case <-last.C:
	}
	q.cancel()
	return q.notice()
}

// Hurry ends the waiting of [Queue.Close], which may come later: what was not delivered by now is lost.
func (q *Queue[T]) Hurry() { q.cancel() }

func (q *Queue[T]) notice() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	lost := q.lost + q.flying + int64(len(q.items))
	if lost == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: %d of %d %s were not delivered", q.options.Name, lost, q.offered, q.options.Unit)
	if q.last != nil {
		text += ": " + q.last.Error()
	}
	return text
}

func (q *Queue[T]) run() {
	defer close(q.done)
	defer dying.Guard(q.options.Dying)
	pause := q.options.Backoff
	for {
		batch, more := q.take()
		if !more {
			return
		}
		err := q.attempt(batch)
		var permanent permanentError
		switch {
		case err == nil:
			pause = q.options.Backoff
			continue
		case errors.As(err, &permanent):
			q.failed(err, nil, len(batch))
			continue
		}
		select {
		case <-q.closing: // the attempt may have begun before; one that did not is the last
			q.failed(err, batch, 0)
			q.finish()
			return
		default:
		}
		q.failed(err, batch, 0)
		select {
		case <-time.After(pause):
		case <-q.closing:
		}
		pause = min(2*pause, 16*q.options.Backoff)
	}
}

// finish tries what is left once more, until something fails.
func (q *Queue[T]) finish() {
	for q.ctx.Err() == nil {
		batch, more := q.take()
		if !more {
			return
		}
		if err := q.attempt(batch); err != nil {
			q.failed(err, nil, len(batch))
			return
		}
	}
}

// take waits for items; false when the queue is closed and empty, or out of time.
func (q *Queue[T]) take() ([]T, bool) {
	for {
		q.mu.Lock()
		n := min(len(q.items), q.options.Batch)
		batch := q.items[:n:n]
		q.items = q.items[n:]
		q.flying = int64(n)
		closed := q.closed
		q.mu.Unlock()
		switch {
		case n > 0 && q.ctx.Err() == nil:
			return batch, true
		case n > 0:
			q.failed(nil, nil, n)
			return nil, false
		case closed: // nothing is under way either
			return nil, false
		}
		select {
		case <-q.wake:
		case <-q.closing:
		}
	}
}

func (q *Queue[T]) attempt(batch []T) error {
	ctx, cancel := context.WithTimeout(q.ctx, q.options.Timeout)
	defer cancel()
	return q.deliver(ctx, batch)
}

// failed notes an error, puts a batch that is to be tried again back to the front, and counts what
// is lost.
func (q *Queue[T]) failed(err error, again []T, lost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flying = 0
	if err != nil {
		q.last = err
	}
	q.lost += int64(lost)
	if len(again) > 0 {
		q.items = append(append(make([]T, 0, len(again)+len(q.items)), again...), q.items...)
		q.trim()
	}
}

type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks an error after which trying again is of no use.
func Permanent(err error) error { return permanentError{err} }
