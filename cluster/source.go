package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// Times of a run.
const (
	startNotice    = 500 * time.Millisecond  // from the decision to start until the clock of the run is 0
	orderNotice    = 200 * time.Millisecond  // from an order to begin until the load begins
	stragglersWait = 1500 * time.Millisecond // for ticks of a second that is over
	abortWait      = 3 * time.Second         // for agents that were told to end at once
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
}

// Source is a [Controller] with the plan that its agents have; it has the methods of a source of intervals.
type Source struct {
	*Controller
	plan *engine.Plan
}

// Source makes the source of a plan: the one that was packed for [Controller.Distribute].
func (c *Controller) Source(plan *engine.Plan) *Source { return &Source{c, plan} }

// Start has all agents begin at one moment. The channel gives one interval a second, of all agents together; the last one is marked
// Final, and the channel closed. Cancelling ctx stops at once.
func (s *Source) Start(ctx context.Context) (<-chan *metrics.Interval, error) {
	c := s.Controller
	c.mu.Lock()
	begun, b := c.run != nil, c.bundle
	c.mu.Unlock()
	switch {
	case begun:
		return nil, errors.New("this controller has run already")
	case b == nil:
		return nil, errors.New("the agents have no plan")
	}
	if b.Preflight {
		if err := c.preflight(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.unready(b); err != nil {
		return nil, err
	}
	began := time.Now().Add(startNotice)
	r := &running{c: c, clock: engine.NewClockAt(began), codec: metrics.NewCodec(), merger: newMerger()}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.engine = engine.New(s.plan, engine.RunOptions{Clock: r.clock, Logger: c.opts.Logger, Delegate: r})
	for _, m := range c.members {
		m.heard = time.Now()
	}
	c.order(order{Do: doStart, Start: int64(began.Sub(c.base))}, nil)
	c.run = r
	own, err := r.engine.Start(ctx)
	if err != nil {
		r.cancel()
		return nil, err
	}
	out := make(chan *metrics.Interval, 1)
	stop := context.AfterFunc(ctx, func() { s.Abort(context.Cause(ctx).Error()) })
	go func() {
		defer stop()
		defer r.cancel()
		r.relay(own, out)
	}()
	return out, nil
}

// Control changes the load of all agents.
func (s *Source) Control(command engine.Command) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return errors.New("the run has not begun")
	}
	if err := s.run.engine.Control(command); err != nil {
		return err
	}
	if command.Stop {
		return nil // [running.Carry] passes it on, with every other end of an execution
	}
	s.order(order{Do: doControl, Command: &command}, nil)
	return nil
}

// Stop ends gracefully, everywhere.
func (s *Source) Stop(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		s.run.stop(reason)
	}
}

// Abort ends at once, everywhere.
func (s *Source) Abort(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil || s.run.aborting {
		return
	}
	s.run.aborting, s.run.stopping = true, true
	s.order(order{Do: doAbort, Reason: reason}, nil)
	s.run.engine.Abort(reason)
	cancel := s.run.cancel
	time.AfterFunc(abortWait, cancel)
}

// Err is why the run could not go on, or what it lacks because agents were lost; nil when all was done that was planned, or stopped.
func (s *Source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return nil
	}
	if s.run.err != nil {
		return s.run.err
	}
	if err := s.run.engine.Err(); err != nil {
		return err
	}
	if s.opts.AllowLost {
		return nil
	}
	return s.missing()
}

// missing says which agents did not do their share. The lock is held.
func (c *Controller) missing() error {
	var texts []string
	for _, m := range c.members {
		switch m.state {
		case metrics.AgentLost:
			texts = append(texts, fmt.Sprintf("%s was lost after %d s", m.label(), m.since))
		case metrics.AgentLeft:
			texts = append(texts, fmt.Sprintf("%s left after %d s (%s)", m.label(), m.since, m.why))
		}
	}
	if texts == nil {
		return nil
	}
	return fmt.Errorf("%s: %s of the planned load is missing for each; the result is not that of the plan (--allow-lost-agents judges it all the same)",
		strings.Join(texts, ", "), c.share())
}

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
	go func() {
		select {
		case <-closing:
			c.mu.Lock()
			defer c.mu.Unlock()
			if !r.stopping {
				c.order(order{Do: doStop, Target: execution}, nil)
			}
		case <-over:
		}
	}()
	_ = c.wait(r.ctx, func() bool { // it is over, too, when nobody waits any more
		return !slices.ContainsFunc(c.members, func(m *member) bool { return m.state == metrics.AgentRunning && m.done == nil && !m.over[execution] })
	})
	close(over)
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
	extra := &metrics.Interval{Second: second, Events: r.events}
	r.events = nil
	share := 1 / float64(len(r.c.members))
	for _, m := range r.c.members {
		extra.Agents = append(extra.Agents, m.row(second, share))
	}
	r.merger.add(extra)
	return r.merger.take(final)
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

// tick takes the interval of an agent. The lock is held.
func (c *Controller) tick(m *member, r *received) {
	if c.run == nil {
		return
	}
	t := read[tick](r)
	if m.closed || !m.take(t.Sequence) {
		return
	}
	iv, _, err := c.run.codec.Decode(r.data)
	if err != nil {
		c.run.fail(fmt.Errorf("%s sent an interval that cannot be read: %w", m.label(), err))
		return
	}
	m.last = max(m.last, iv.Second)
	row := m.row(iv.Second, 1/float64(len(c.members)))
	m.follow(iv)
	ofAgent(iv, row)
	c.run.merger.add(iv)
	for _, execution := range t.Over {
		m.over[execution] = true
	}
	if t.Reason != "" {
		c.run.stop(t.Reason)
	}
	c.finished(m)
}

// done takes the last word of an agent. The lock is held.
func (c *Controller) done(m *member, d done) {
	if c.run == nil {
		return
	}
	if m.done == nil {
		m.done = &d
		switch {
		case d.Error != "":
			c.run.fail(fmt.Errorf("%s: %s", m.label(), d.Error))
		case d.Left != "" && !c.run.stopping:
			m.why, m.since = d.Left, c.run.second()
			c.run.warn(fmt.Sprintf("%s has left (%s); %s of the load is missing from now on", m.label(), d.Left, c.share()))
		case d.Reason != "":
			c.run.stop(d.Reason)
		}
	}
	c.finished(m)
}

// finished lets an agent go once all that it had to tell has come. The lock is held.
func (c *Controller) finished(m *member) {
	if !m.complete() {
		return
	}
	m.state = metrics.AgentEnded
	if m.why != "" {
		m.state = metrics.AgentLeft
	}
	c.send(m, kindThanks, nil, nil)
}
