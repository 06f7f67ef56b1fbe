package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// Options of a [Controller].
type Options struct {
	Agents    int           // that the load is shared by, ≥ 1
	Version   string        // of the program; agents have the same
	LostAfter time.Duration // of silence; 0: 2.5 s
	AllowLost bool          // a run that lost agents is judged as if it had not
	Say       func(string)  // progress for people; nil: nobody
	Logger    *slog.Logger  // nil: silent
	Dying     func()        // called when the controller panics, before the process ends by it: for who holds the terminal; nil: nobody does
}

// defaultLostAfter is two ticks that did not come, and a half for the network.
const defaultLostAfter = 2500 * time.Millisecond

// Controller has a plan carried out by agents. [Controller.Gather] and [Controller.Distribute] come first; then it is a source of
// intervals, as an engine is. It must be closed.
type Controller struct {
	opts Options
	hub  Hub
	base time.Time // zero of the clock that agents set theirs by

	serving sync.WaitGroup
	quit    chan struct{}

	mu      sync.Mutex // guards what follows
	changed chan struct{}
	closed  bool
	members []*member
	refused map[string]bool // who was turned away and why, as it was said
	looking bool            // the agents do the preflight
	bundle  *Bundle         // nil: not yet
	plan    []byte
	pieces  map[string][]byte
	orders  [][]byte // given so far
	run     *running // nil: not yet
}

// NewController begins to listen to a bus.
func NewController(hub Hub, opts Options) *Controller {
	if opts.LostAfter <= 0 {
		opts.LostAfter = defaultLostAfter
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Controller{
		opts: opts, hub: hub, base: time.Now(), quit: make(chan struct{}), changed: make(chan struct{}), refused: map[string]bool{},
	}
	c.serving.Go(func() {
		defer dying.Guard(c.opts.Dying)
		c.serve()
	})
	return c
}

// Close tells the agents that there is nothing more to do, and ends listening. The bus is the caller's.
func (c *Controller) Close() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	c.mu.Unlock()
	_ = c.hub.Send("", message(kindEnd, refuse{Reason: "the run is over"}, nil)) // who does not hear it sees that the controller has gone
	close(c.quit)
	c.serving.Wait()
}

// Gather waits until all agents have joined, or for as long as wait allows; 0: for ever.
func (c *Controller) Gather(ctx context.Context, wait time.Duration) error {
	outer := ctx
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	err := c.wait(ctx, func() bool { return len(c.members) == c.opts.Agents })
	if err != nil && outer.Err() == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		return fmt.Errorf("%d of %d agents joined within %s", len(c.members), c.opts.Agents, wait)
	}
	return err
}

// Names are those of the agents, sorted.
func (c *Controller) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make([]string, 0, len(c.members))
	for _, m := range c.members {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

// Machines are the descriptions that the agents gave of where they run, in order of joining; one of a machine that several share.
func (c *Controller) Machines() (list []json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.hello.Machine != nil && !slices.ContainsFunc(list, func(have json.RawMessage) bool { return string(have) == string(m.hello.Machine) }) {
			list = append(list, m.hello.Machine)
		}
	}
	return list
}

// wait waits until something holds; the lock is held while it is asked.
func (c *Controller) wait(ctx context.Context, holds func() bool) error {
	for {
		c.mu.Lock()
		ok, changed := holds(), c.changed
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.quit:
			return errors.New("the controller was closed")
		}
	}
}

// notify wakes those who wait. The lock is held.
func (c *Controller) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Controller) send(m *member, k kind, body any, data []byte) {
	if err := c.hub.Send(m.id, message(k, body, data)); err != nil {
		c.opts.Logger.Warn("send to agent", "agent", m.name, "message", k, "error", err)
	}
}

func (c *Controller) say(text string) {
	c.opts.Logger.Info("agents", "text", text)
	if c.opts.Say != nil {
		c.opts.Say(text)
	}
}

// now is ns of the clock that agents set theirs by.
func (c *Controller) now() int64 { return int64(time.Since(c.base)) }

// lookEvery is how often the controller looks who is silent.
const lookEvery = 100 * time.Millisecond

// serve reads what agents send until the controller is closed.
func (c *Controller) serve() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	looked, beaten := time.Now(), time.Time{}
	for {
		if now := time.Now(); now.Sub(beaten) >= time.Second { // also while there is so much to read that nothing else is done
			beaten = now
			c.beat()
		}
		select {
		case p, open := <-c.hub.Receive():
			if !open {
				return
			}
			c.receive(p)
			continue
		default:
		}
		// Nothing waits to be read: who is silent now is silent indeed.
		select {
		case p, open := <-c.hub.Receive():
			if !open {
				return
			}
			c.receive(p)
		case now := <-look.C:
			c.mu.Lock()
			if pause := now.Sub(looked); pause > time.Second {
				for _, m := range c.members { // this process was held up, not the agents
					m.heard = m.heard.Add(pause)
				}
			}
			looked = now
			c.lookAround(now)
			c.mu.Unlock()
		case <-c.quit:
			return
		}
	}
}

// beat tells all agents that the controller is there, and how many orders it has given.
func (c *Controller) beat() {
	c.mu.Lock()
	given := len(c.orders)
	c.mu.Unlock()
	_ = c.hub.Send("", message(kindBeat, beat{given}, nil)) // the next one comes in a second
}

// lookAround finds who has become silent, and asks again for ticks that were lost. The lock is held.
func (c *Controller) lookAround(now time.Time) {
	for _, m := range slices.Clone(c.members) {
		if first, last, missing := m.gap(); missing && now.Sub(m.asked) > time.Second {
			m.asked = now
			c.send(m, kindResend, resend{first, last}, nil)
		}
		if m.state == metrics.AgentRunning && now.Sub(m.heard) > c.opts.LostAfter {
			c.lose(m, now)
		}
	}
}

// lose notes that an agent has become silent. The lock is held.
func (c *Controller) lose(m *member, now time.Time) {
	defer c.notify()
	if c.run == nil {
		c.remove(m, "has gone again")
		return
	}
	m.state, m.gone, m.since = metrics.AgentLost, now, c.run.second()
	c.run.warn(fmt.Sprintf("%s is lost: nothing came from it for %s; %s of the load is missing from now on", m.label(), c.opts.LostAfter, c.share()))
}

// share is a part of the load in words. The lock is held.
func (c *Controller) share() string {
	return fmt.Sprintf("%.3g%%", 100/float64(len(c.members)))
}

// receive takes one message.
func (c *Controller) receive(p Packet) {
	r, err := parse(p.Message)
	if err != nil {
		c.opts.Logger.Warn("from agent", "id", p.From, "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.member(p.From)
	if r.kind == kindHello {
		c.admit(m, p.From, read[hello](r))
		return
	}
	if m == nil {
		// One that was given up before the load began, or that a controller had which is no more. It must not take our beats for those
		// of its own run, and go on with a load that nobody counts.
		_ = c.hub.Send(p.From, message(kindUnknown, nil, nil)) // it is told again when it says something again
		return
	}
	m.heard = time.Now()
	if m.state == metrics.AgentLost && !m.closed {
		m.state = metrics.AgentRunning
		c.run.warn(fmt.Sprintf("%s is back after %s", m.label(), m.heard.Sub(m.gone).Round(100*time.Millisecond)))
	}
	defer c.notify()
	switch r.kind {
	case kindClock:
		sample := read[clockSample](r)
		sample.Here = c.now()
		c.send(m, kindTime, sample, nil)
	case kindNeed:
		c.give(m, read[need](r))
	case kindAlive:
		c.alive(m, read[alive](r))
	case kindOrders:
		for i := max(read[ordersFrom](r).First, 1); i <= len(c.orders); i++ {
			_ = c.hub.Send(m.id, c.orders[i-1]) // it asks again
		}
	case kindTick:
		c.tick(m, r)
	case kindEnded:
		m.over[read[ended](r).Execution] = true
	case kindDone:
		c.done(m, read[done](r))
	case kindLeave:
		if c.run == nil {
			c.remove(m, "has left again ("+plain(read[leave](r).Reason)+")")
		}
	}
}

// order gives an order to all. The lock is held.
func (c *Controller) order(o order, data []byte) {
	o.Number = len(c.orders) + 1
	text := message(kindOrder, o, data)
	c.orders = append(c.orders, text)
	if err := c.hub.Send("", text); err != nil {
		c.opts.Logger.Warn("send to agents", "order", o.Do, "error", err)
	}
}
