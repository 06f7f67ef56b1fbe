package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// Times of a run.
const (
	startNotice    = 500 * time.Millisecond  // from the decision to start until the clock of the run is 0
	orderNotice    = 200 * time.Millisecond  // from an order to begin until the load begins
	stragglersWait = 1500 * time.Millisecond // for ticks of a second that is over
	abortWait      = 3 * time.Second         // for agents that were told to end at once

	lateLimit   = 100 * time.Millisecond // after which an agent is said to have begun late
	aheadOfTime = 60                     // seconds that an agent's clock may be ahead: more is no clock of this run
)

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
	r.engine = engine.New(s.plan, engine.RunOptions{Clock: r.clock, Logger: c.opts.Logger, Delegate: r, Dying: c.opts.Dying})
	for _, m := range c.members {
		m.heard = time.Now()
	}
	c.order(order{Do: doStart, Start: int64(began.Sub(c.base))}, nil)
	c.run = r
	own, err := r.engine.Start(ctx)
	if err != nil {
		r.cancel()
		r.codec.Close()
		return nil, err
	}
	out := make(chan *metrics.Interval, 1)
	stop := context.AfterFunc(ctx, func() { s.Abort(context.Cause(ctx).Error()) })
	go func() {
		defer stop()
		defer r.cancel()
		defer dying.Guard(c.opts.Dying)
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
