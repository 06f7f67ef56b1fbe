package metrics

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// CollectorOptions set the limits of a [Collector].
type CollectorOptions struct {
	MaxLabels int    // distinct (execution, kind, label) before further ones become "(other)"; 0: 1000
	Source    string // name that intervals carry; "" for this process
}

// Collector folds samples into intervals. Record may be called from any number of goroutines; it
// takes one of a few shards with a single compare-and-swap, adds to plain counters there and lets go of it. It never
// waits for a shard: one that is taken, be it by a user whose thread the system has put aside, is passed over
// for the next. Since a sample is added under one shard's mark as a whole, it lies in exactly one interval, with all
// of its parts, and [Collector.Swap] loses nothing.
type Collector struct {
	labels labelTable
	errors errorTable
	shards []shard // a power of two, at least GOMAXPROCS
	source string

	swapping sync.Mutex // guards what follows
	sequence uint64

	loadsMu sync.Mutex // guards what follows
	loads   []*LoadCounters
	events  []Event
}

// shard is a set of cells that one goroutine at a time writes to.
type shard struct {
	busy   atomic.Uint32 // 1 while taken; whoever took it owns the rest
	active *buffer
	pool   pagePool
	spare  *buffer  // owned by Swap: empty, to be exchanged for active
	freed  pagePool // owned by Swap: what goes back to pool
	_      [64]byte // the next shard's mark must not share a cache line with this one's
}

// buffer is one second of a shard: a cell per label, twice, as warm-up is kept apart.
type buffer struct {
	cells   []*cell // by 2·LabelID, +1 for warm-up; nil until first used
	touched []uint32
}

// NewCollector returns an empty collector.
func NewCollector(opts CollectorOptions) *Collector {
	if opts.MaxLabels <= 0 {
		opts.MaxLabels = DefaultMaxLabels
	}
	count := 2
	for count < runtime.GOMAXPROCS(0) && count < 64 {
		count *= 2
	}
	c := &Collector{shards: make([]shard, count), source: opts.Source}
	c.labels.limit = opts.MaxLabels
	for i := range c.shards {
		c.shards[i].active, c.shards[i].spare = &buffer{}, &buffer{}
	}
	return c
}

// Record counts the sample; it keeps nothing of it. Any goroutine may call it, and it does not allocate once
// the label and the size of value have been seen.
func (c *Collector) Record(s *Sample) {
	sh := c.take(s.User)
	sh.active.cell(s).record(s, &sh.pool)
	sh.busy.Store(0)
}

// Failure counts the sample as [Collector.Record] does, and its text beside it: call one or the other. Of an interval, 100
// distinct texts are kept, each cut after 200 bytes; further ones are counted together.
func (c *Collector) Failure(s *Sample, text string) {
	c.Record(s)
	c.errors.add(s, text)
}

// take returns a shard that the caller owns until it resets busy.
func (c *Collector) take(user uint32) *shard {
	mask := uint32(len(c.shards) - 1)
	for i := uint32(0); ; i++ {
		sh := &c.shards[(user+i)&mask]
		if sh.busy.Load() == 0 && sh.busy.CompareAndSwap(0, 1) {
			return sh
		}
		if i&mask == mask {
			runtime.Gosched() // all owners are off their processors
		}
	}
}

// own waits for this very shard.
func (sh *shard) own() {
	for !sh.busy.CompareAndSwap(0, 1) {
		runtime.Gosched()
	}
}

// cell returns the cell for the sample's label, made on first use.
func (b *buffer) cell(s *Sample) *cell {
	i := uint32(s.Label) * 2
	if s.Flags&WarmUp != 0 {
		i++
	}
	if int(i) >= len(b.cells) {
		b.cells = append(b.cells, make([]*cell, int(i)+1-len(b.cells))...)
	}
	cl := b.cells[i]
	if cl == nil {
		cl = &cell{}
		b.cells[i] = cl
	}
	if !cl.used {
		cl.used = true
		b.touched = append(b.touched, i)
	}
	return cl
}

// Swap returns what was recorded since the last Swap as the interval of that second, in canonical order and numbered; the caller
// adds the health. Samples that are recorded meanwhile fall into this interval or the next.
func (c *Collector) Swap(second int64) *Interval {
	c.swapping.Lock()
	defer c.swapping.Unlock()
	c.sequence++
	iv := &Interval{Second: second, Source: c.source, Sequence: c.sequence}
	for i := range c.shards {
		c.shards[i].exchange()
	}
	iv.Rows = c.rows()
	for i := range c.shards {
		c.shards[i].refill()
	}
	c.loadsMu.Lock()
	for _, l := range c.loads {
		iv.Load = append(iv.Load, l.take(second))
	}
	iv.Events, c.events = c.events, nil
	c.loadsMu.Unlock()
	iv.Errors = c.errors.take(&c.labels)
	iv.Sort()
	return iv
}

// exchange puts the empty buffer in the place of the one that is written to, which is spare then.
func (sh *shard) exchange() {
	sh.own()
	sh.active, sh.spare = sh.spare, sh.active
	sh.busy.Store(0)
}

// refill gives the shard back what draining its buffer set free.
func (sh *shard) refill() {
	sh.own()
	sh.pool.give(&sh.freed)
	sh.busy.Store(0)
}

// rows empties the spare buffers of all shards into rows in canonical order.
func (c *Collector) rows() []Row {
	var touched []uint32
	for i := range c.shards {
		b := c.shards[i].spare
		touched = append(touched, b.touched...)
		b.touched = b.touched[:0]
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	c.labels.sortCells(touched)
	rows := make([]Row, len(touched))
	for j, i := range touched {
		c.drain(i, &rows[j])
	}
	return rows
}

// drain empties the cells of that number in the spare buffers into an empty row.
func (c *Collector) drain(number uint32, r *Row) {
	r.Execution, r.Label, r.Kind = c.labels.name(LabelID(number / 2))
	r.WarmUp = number&1 == 1
	first := true
	for i := range c.shards {
		sh := &c.shards[i]
		if int(number) >= len(sh.spare.cells) {
			continue
		}
		cl := sh.spare.cells[number]
		switch {
		case cl == nil || !cl.used:
		case first:
			first = false
			cl.drain(r, &sh.freed)
		default:
			var more Row
			cl.drain(&more, &sh.freed)
			r.Merge(&more)
		}
	}
}

// Load returns the counters of an execution, to be kept by the engine; they are folded into each interval.
func (c *Collector) Load(execution string, open bool) *LoadCounters {
	c.loadsMu.Lock()
	defer c.loadsMu.Unlock()
	for _, l := range c.loads {
		if l.execution == execution {
			return l
		}
	}
	l := &LoadCounters{execution: execution, open: open}
	c.loads = append(c.loads, l)
	return l
}

// maxEvents bounds the events of one interval; what happens more often is no event.
const maxEvents = 1000

// Event adds a mark to the running interval.
func (c *Collector) Event(e Event) {
	c.loadsMu.Lock()
	defer c.loadsMu.Unlock()
	if len(c.events) < maxEvents {
		c.events = append(c.events, e)
	}
}
