package engine

import (
	"sync"
	"time"

	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// Sizes of the tap. A batch of some hundred samples costs a user a few percent of a request; a
// channel send per sample would cost a fifth.
const (
	tapShards  = 32
	tapBatch   = 512
	tapBacklog = 256 // full batches that may wait before users are held up: some 20 MB
)

// tap gathers raw samples in shards and hands them on in batches from a goroutine of its own. It
// loses nothing: when the receiver is slower than the load for long, users wait for it.
type tap struct {
	shards [tapShards]tapShard
	full   chan []metrics.Sample
	free   sync.Pool
	stop   chan struct{}
	done   chan struct{}
	out    func([]metrics.Sample)
}

type tapShard struct {
	mu    sync.Mutex
	batch []metrics.Sample
	_     [64]byte // shards of different users must not share a cache line
}

func newTap(out func([]metrics.Sample), before func()) *tap {
	t := &tap{full: make(chan []metrics.Sample, tapBacklog), stop: make(chan struct{}), done: make(chan struct{}), out: out}
	t.free.New = func() any { return new(make([]metrics.Sample, 0, tapBatch)) }
	go t.run(before)
	return t
}

// add takes a copy of s.
func (t *tap) add(s *metrics.Sample) {
	shard := &t.shards[s.User%tapShards]
	shard.mu.Lock()
	if shard.batch == nil {
		shard.batch = *t.free.Get().(*[]metrics.Sample)
	}
	shard.batch = append(shard.batch, *s)
	var full []metrics.Sample
	if len(shard.batch) == tapBatch {
		full, shard.batch = shard.batch, nil
	}
	shard.mu.Unlock()
	if full != nil {
		t.full <- full
	}
}

// close hands on what is left; no add may follow.
func (t *tap) close() {
	close(t.stop)
	<-t.done
}

func (t *tap) run(before func()) {
	defer close(t.done)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer dying.Guard(before)
	for {
		select {
		case batch := <-t.full:
			t.hand(batch)
		case <-tick.C:
			t.flush()
		case <-t.stop:
			for {
				select {
				case batch := <-t.full:
					t.hand(batch)
					continue
				default:
				}
				break
			}
			t.flush()
			return
		}
	}
}

func (t *tap) flush() {
	for i := range t.shards {
		shard := &t.shards[i]
		shard.mu.Lock()
		batch := shard.batch
		shard.batch = nil
		shard.mu.Unlock()
		if len(batch) > 0 {
			t.hand(batch)
		}
	}
}

func (t *tap) hand(batch []metrics.Sample) {
	t.out(batch)
	batch = batch[:0]
	t.free.Put(&batch)
}
