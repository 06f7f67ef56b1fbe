package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/engine"
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
	refused map[string]bool // agents that were turned away
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
	c.serving.Go(c.serve)
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

// Distribute gives each agent its share of the plan and waits until all have understood it.
func (c *Controller) Distribute(ctx context.Context, b *Bundle) error {
	c.mu.Lock()
	c.bundle, c.plan, c.pieces = b, b.marshal(), b.contents
	for i, m := range c.members {
		m.index = i
		c.send(m, kindPlan, planOf{Index: i, Of: len(c.members)}, c.plan)
	}
	c.mu.Unlock()
	var failed error
	err := c.wait(ctx, func() bool {
		if failed = c.unready(b); failed != nil {
			return true
		}
		return !slices.ContainsFunc(c.members, func(m *member) bool { return m.ready == nil })
	})
	return errors.Join(err, failed)
}

// unready is why the plan cannot be carried out by these agents. The lock is held.
func (c *Controller) unready(b *Bundle) error {
	if len(c.members) < c.opts.Agents {
		return fmt.Errorf("an agent went away before the load began: %d of %d are left", len(c.members), c.opts.Agents)
	}
	for _, m := range c.members {
		switch {
		case m.ready == nil:
		case m.ready.Error != "":
			return fmt.Errorf("%s cannot carry out the plan: %s", m.label(), m.ready.Error)
		case m.ready.Digest != b.Digest:
			return fmt.Errorf("%s understands the document differently: install the same program on all machines", m.label())
		}
	}
	return nil
}

// preflight has all agents look at the targets, as each would before a run of its own.
func (c *Controller) preflight(ctx context.Context) error {
	c.mu.Lock()
	c.looking = true
	for _, m := range c.members {
		c.send(m, kindLook, nil, nil)
	}
	c.mu.Unlock()
	err := c.wait(ctx, func() bool {
		return len(c.members) < c.opts.Agents || !slices.ContainsFunc(c.members, func(m *member) bool { return m.looked == nil })
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.members) < c.opts.Agents {
		return fmt.Errorf("an agent went away before the load began: %d of %d are left", len(c.members), c.opts.Agents)
	}
	for _, m := range c.members {
		if len(m.looked.Errors) > 0 {
			return fmt.Errorf("nothing was sent: %s: %s", m.label(), strings.Join(m.looked.Errors, "; "))
		}
		for _, text := range m.looked.Warnings {
			c.say(m.label() + ": " + text)
		}
	}
	return nil
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
			if now.Sub(beaten) >= time.Second {
				beaten = now
				_ = c.hub.Send("", message(kindBeat, beat{len(c.orders)}, nil)) // the next one comes in a second
			}
			c.mu.Unlock()
		case <-c.quit:
			return
		}
	}
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
		c.members = slices.DeleteFunc(c.members, func(o *member) bool { return o == m })
		c.say(m.label() + " has gone again")
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
		return // one that was given up before the load began
	}
	m.heard = time.Now()
	if m.state == metrics.AgentLost && c.run != nil {
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
	}
}

func (c *Controller) member(id string) *member {
	for _, m := range c.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// admit lets an agent take part, or says why not. The lock is held.
func (c *Controller) admit(m *member, id string, h hello) {
	if m != nil { // the answer was lost
		m.heard = time.Now()
		c.send(m, kindWelcome, welcome{m.name}, nil)
		return
	}
	reason, full := "", false
	switch {
	case h.Protocol != Protocol || h.Version != c.opts.Version:
		reason = fmt.Sprintf("it is version %s and the controller is version %s: install the same on all machines", h.Version, c.opts.Version)
	case c.bundle != nil || len(c.members) >= c.opts.Agents:
		reason, full = fmt.Sprintf("the run has all its %d agents", c.opts.Agents), true
	}
	if reason != "" {
		_ = c.hub.Send(id, message(kindRefuse, refuse{reason, full}, nil)) // it says hello again
		if !c.refused[id] {
			c.refused[id] = true
			c.say(fmt.Sprintf("agent %s (%s) is refused: %s", h.Name, h.Host, reason))
		}
		return
	}
	m = &member{id: id, name: c.freeName(h.Name), hello: h, heard: time.Now(), over: map[string]bool{}, ticks: map[uint64]bool{}, last: -1}
	c.members = append(c.members, m)
	c.send(m, kindWelcome, welcome{m.name}, nil)
	c.say(fmt.Sprintf("agent %d of %d has joined: %s (%s, %s, %d processors)", len(c.members), c.opts.Agents, m.name, h.Host, h.System, h.Cores))
	c.notify()
}

// alive notes how far an agent is before the load begins. The lock is held.
func (c *Controller) alive(m *member, a alive) {
	if a.Ready != nil {
		m.ready = a.Ready
	}
	if a.Looked != nil {
		m.looked = a.Looked
	}
	switch {
	case c.bundle != nil && !a.Plan:
		c.send(m, kindPlan, planOf{Index: m.index, Of: len(c.members)}, c.plan)
	case c.looking && a.Ready != nil && a.Looked == nil:
		c.send(m, kindLook, nil, nil)
	}
}

// freeName keeps names apart: several agents may run on one host.
func (c *Controller) freeName(name string) string {
	free := name
	for n := 2; slices.ContainsFunc(c.members, func(m *member) bool { return m.name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// pieceSize is how much of a file one message carries, in bytes.
const pieceSize = 1 << 20

// give sends a piece of a file.
func (c *Controller) give(m *member, n need) {
	content, known := c.pieces[n.Hash]
	if !known || n.Offset < 0 || n.Offset > int64(len(content)) {
		return
	}
	end := min(n.Offset+pieceSize, int64(len(content)))
	c.send(m, kindPiece, piece{n.Hash, n.Offset, int64(len(content))}, content[n.Offset:end])
}

// give an order to all. The lock is held.
func (c *Controller) order(o order, data []byte) {
	o.Number = len(c.orders) + 1
	text := message(kindOrder, o, data)
	c.orders = append(c.orders, text)
	if err := c.hub.Send("", text); err != nil {
		c.opts.Logger.Warn("send to agents", "order", o.Do, "error", err)
	}
}

var _ engine.Delegate = (*running)(nil)
