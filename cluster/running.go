package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// running is a run while agents carry it out.
type running struct {
	c      *Controller
	engine *engine.Engine
	clock  engine.Clock
	codec  *metrics.Codec
	ctx    context.Context // of those who wait for agents
	cancel context.CancelFunc

	// What follows is guarded by the controller's lock.
	merger   *merger
	events   []metrics.Event // of the controller, for the next interval
	err      error           // why the run could not go on
	stopping bool
	aborting bool
	timed    bool // how well the agents keep the run's time was told
}

var _ engine.Delegate = (*running)(nil)

// stop ends the run gracefully. The lock is held.
func (r *running) stop(reason string) {
	if r.stopping {
		return
	}
	r.stopping = true
	r.c.order(order{Do: doStop, Reason: reason}, nil)
	r.engine.Stop(reason)
}

// Notice implements [engine.Delegate].
func (r *running) Notice() time.Duration { return orderNotice }

// Carry implements [engine.Delegate]: it has the agents begin, and waits until all that are still there have ended.
func (r *running) Carry(execution string, start int64, prepared []byte, closing <-chan struct{}) {
	c := r.c
	c.mu.Lock()
	c.order(order{Do: doBegin, Target: execution, Start: start}, prepared)
	c.mu.Unlock()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-closing:
			c.mu.Lock()
			defer c.mu.Unlock()
			if !r.stopping {
				c.order(order{Do: doStop, Target: execution}, nil)
			}
		case <-over:
		}
	})
	_ = c.wait(r.ctx, func() bool { // it is over, too, when nobody waits any more
		return !slices.ContainsFunc(c.members, func(m *member) bool { return m.state == metrics.AgentRunning && m.done == nil && !m.over[execution] })
	})
	close(over)
	watching.Wait()
}

// second is the second of the run that goes on.
func (r *running) second() int64 { return max(0, r.clock.Now()/int64(time.Second)) }

// warn tells at once, and notes for the results. The lock is held.
func (r *running) warn(text string) {
	r.events = append(r.events, metrics.Event{At: max(0, r.clock.Now()), Kind: "warning", Text: text})
	r.c.say(text)
}

// fail ends the run because it cannot go on. The lock is held.
func (r *running) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.stop(err.Error())
}

// relay merges the intervals of the agents with those of the controller's own engine, until all of it is over.
func (r *running) relay(own <-chan *metrics.Interval, out chan<- *metrics.Interval) {
	defer close(out)
	defer r.codec.Close()
	ready := int64(-1) // last second that the own engine has closed
	var since time.Time
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for own != nil {
		select {
		case iv, open := <-own:
			if !open {
				own = nil
				break
			}
			if !iv.Final { // the last one goes with what comes after it
				ready, since = iv.Second, time.Now()
			}
			iv.Health = metrics.Health{} // the load comes from others
			r.c.mu.Lock()
			r.merger.add(iv)
			r.c.mu.Unlock()
		case <-look.C:
		}
		r.giveReady(ready, since, out)
	}
	r.c.mu.Lock()
	r.c.order(order{Do: doOver}, nil)
	r.c.mu.Unlock()
	r.finish()
	r.c.mu.Lock()
	last := r.take(true)
	r.c.mu.Unlock()
	out <- last
}

// giveReady gives away the seconds that are complete, or were waited for long enough.
func (r *running) giveReady(ready int64, since time.Time, out chan<- *metrics.Interval) {
	for {
		r.c.mu.Lock()
		next := r.merger.next
		late := slices.ContainsFunc(r.c.members, func(m *member) bool { return m.state == metrics.AgentRunning && m.done == nil && m.last < next })
		if next > ready || late && time.Since(since) < stragglersWait-time.Duration(ready-next)*time.Second {
			r.lost()
			r.c.mu.Unlock()
			return
		}
		iv := r.take(false)
		r.c.mu.Unlock()
		out <- iv
	}
}

// lost ends a run that nobody carries out any more. The lock is held.
func (r *running) lost() {
	if !r.stopping && !slices.ContainsFunc(r.c.members, func(m *member) bool { return !m.state.Missing() }) {
		r.fail(errors.New("no agent is left"))
	}
}

// take gives the next interval away, with what is known of the agents. The lock is held.
func (r *running) take(final bool) *metrics.Interval {
	second := r.merger.next
	for s := range r.merger.pending {
		if final {
			second = max(second, s)
		}
	}
	extra := &metrics.Interval{Second: second}
	share := 1 / float64(len(r.c.members))
	for _, m := range r.c.members {
		if final {
			m.since = min(m.since, second)
		}
		row := m.row(second, share)
		if row.State.Missing() && m.since > second { // not yet
			row.State = metrics.AgentRunning
		}
		extra.Agents = append(extra.Agents, row)
	}
	r.merger.add(extra)
	iv := r.merger.take(final)
	iv.Events, r.events = append(iv.Events, r.events...), nil // each is told, also one in the same words as before
	return iv
}

// finish waits for the last words of all agents that are still there.
func (r *running) finish() {
	c := r.c
	c.mu.Lock()
	wait := lastWords
	if r.aborting {
		wait = abortWait
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	_ = c.wait(ctx, func() bool { // who says nothing is lost
		return !slices.ContainsFunc(c.members, func(m *member) bool { return m.state == metrics.AgentRunning })
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.state == metrics.AgentRunning {
			m.state, m.since = metrics.AgentLost, r.second()
			r.warn(m.label() + " is lost: it did not tell its last figures")
		}
		if m.state == metrics.AgentLost {
			m.closed = true
			r.merger.add(m.settle(r.merger.next, r.clock.Now()))
		}
	}
}

// lastWords bounds the wait for what agents tell at the end.
const lastWords = 10 * time.Second
