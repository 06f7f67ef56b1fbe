package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// AgentOptions of [Serve].
type AgentOptions struct {
	Name       string // that it would like to have; the controller keeps names apart
	Host       string
	Version    string                                // of the program
	Machine    json.RawMessage                       // description for reports; nil: none
	Engine     engine.Options                        // functions and version; the rest comes with the plan
	Interrupts <-chan string                         // each value is a reason; the first one leaves gracefully, the second at once
	Say        func(string)                          // progress for people; nil: nobody
	Logger     *slog.Logger                          // nil: silent
	Connect    func(origin string) engine.Connection // nil: the wire
}

// Ending is how an agent's part in a run ended.
type Ending struct {
	Ran    bool   // it had carried out a share
	Left   bool   // it was interrupted where it runs
	Reason string // in words
}

// RefusedError is why a controller does not want an agent.
type RefusedError struct {
	Reason string
	Full   bool // it has all its agents: the next run may want one
}

func (e *RefusedError) Error() string { return "the controller refuses this agent: " + e.Reason }

// ErrGone is the end of an agent whose controller is not there any more: nobody would count its load.
var ErrGone = errors.New("the controller has gone")

// Times of an agent.
const (
	pulseEvery = 250 * time.Millisecond
	goneAfter  = 10 * time.Second // of silence
	keptTicks  = 300              // that can be sent again, at most
	keptBytes  = 64 << 20         // of them, at most
)

// agent is one run of an agent; only the goroutine of Serve touches it, if nothing else is said.
type agent struct {
	opts AgentOptions
	link Link
	base time.Time // zero of its clock
	log  *slog.Logger

	welcomed bool
	silence  time.Duration // since the last beat, while this process was running
	pulsed   time.Time

	offset    int64 // from its clock to the controller's, ns
	roundTrip int64 // ns of the best exchange of times; 0: none yet

	share   engine.Share
	bundle  *Bundle
	file    fetch
	made    chan making
	plan    *engine.Plan
	state   alive
	looking bool // the preflight was begun
	looked  chan looked
	beside  sync.WaitGroup // who makes the plan, and does the preflight

	orders  int // carried out so far
	waiting map[int]*received
	told    bool // to stop, by the controller

	engine    *engine.Engine
	director  *director
	clock     engine.Clock
	late      int64 // ns by which an execution began after its moment, the longest so far
	intervals <-chan *metrics.Interval
	codec     *metrics.Codec
	ticks     [][]byte // sent, the last ones
	kept      int      // bytes of them
	sequence  uint64   // of the last one
	left      string
	done      *done
	ending    Ending
}

// making is a plan that was made, or why not.
type making struct {
	plan   *engine.Plan
	digest string
	err    error
}

// Serve takes part in one run: it joins, makes the plan, carries out its share, and returns when the controller has all that it had to
// tell. The link is the caller's. Cancelling ctx ends at once.
func Serve(ctx context.Context, link Link, opts AgentOptions) (Ending, error) {
	a := newAgent(link, opts)
	defer a.codec.Close()
	ctx, cancel := context.WithCancel(ctx)
	err := a.serve(ctx)
	a.abandon()
	cancel()
	a.beside.Wait()
	return a.ending, err
}

func newAgent(link Link, opts AgentOptions) *agent {
	a := &agent{
		opts: opts, link: link, base: time.Now(), log: opts.Logger, pulsed: time.Now(), made: make(chan making, 1), looked: make(chan looked, 1),
		waiting: map[int]*received{}, codec: metrics.NewCodec(),
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	return a
}

func (a *agent) serve(ctx context.Context) error {
	a.sayHello()
	pulse := time.NewTicker(pulseEvery)
	defer pulse.Stop()
	interrupts := a.opts.Interrupts
	for {
		var over bool
		var err error
		select {
		case text, open := <-a.link.Receive():
			if !open {
				return ErrGone
			}
			over, err = a.receive(ctx, text)
		case <-pulse.C:
			err = a.pulse()
		case iv, open := <-a.intervals:
			if open {
				err = a.tick(iv)
			} else {
				a.lastWord()
			}
		case made := <-a.made:
			a.ready(made)
		case found := <-a.looked:
			a.state.Looked = &found
			a.send(kindAlive, a.state, nil)
		case reason := <-interrupts:
			over = a.leave(reason)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if over || err != nil {
			return err
		}
	}
}

// abandon ends a load that is still going on although its controller has no more to do with it.
func (a *agent) abandon() {
	if a.engine == nil || a.intervals == nil {
		return
	}
	a.engine.Abort("the controller has gone")
	a.director.close()
	for range a.intervals { //nolint:revive // nobody counts them
	}
}

func (a *agent) send(k kind, body any, data []byte) {
	if err := a.link.Send(message(k, body, data)); err != nil {
		a.log.Warn("send to controller", "message", k, "error", err)
	}
}

func (a *agent) say(text string) {
	if a.opts.Say != nil {
		a.opts.Say(text)
	}
}

func (a *agent) sayHello() {
	a.send(kindHello, hello{
		Name: a.opts.Name, Host: a.opts.Host, Version: a.opts.Version, Protocol: Protocol,
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Machine: a.opts.Machine,
	}, nil)
}

// now is ns of the agent's clock.
func (a *agent) now() int64 { return int64(time.Since(a.base)) }

// pulse says again what may have been lost, and sees whether the controller is still there.
func (a *agent) pulse() error {
	now := time.Now()
	a.silence += min(now.Sub(a.pulsed), time.Second) // a process that was frozen has not listened
	a.pulsed = now
	switch {
	case !a.welcomed:
		a.silence = 0
		a.sayHello()
		return nil
	case a.silence > goneAfter:
		return ErrGone
	case a.done != nil:
		a.send(kindDone, a.done, nil)
	case a.engine == nil:
		a.send(kindAlive, a.state, nil)
		a.send(kindClock, clockSample{Sent: a.now()}, nil)
		a.ask()
	}
	return nil
}

// receive takes one message; over: there is nothing more to do.
func (a *agent) receive(ctx context.Context, text []byte) (over bool, err error) {
	r, err := parse(text)
	if err != nil {
		a.log.Warn("from controller", "error", err)
		return false, nil
	}
	switch r.kind {
	case kindRefuse:
		if !a.welcomed {
			why := read[refuse](r)
			return true, &RefusedError{why.Reason, why.Full}
		}
	case kindUnknown:
		return false, a.unknown()
	case kindWelcome:
		if !a.welcomed {
			a.welcomed = true
			a.say("joined as " + read[welcome](r).Name)
			a.send(kindClock, clockSample{Sent: a.now()}, nil)
		}
	case kindEnd:
		a.ending.Reason = read[refuse](r).Reason
		return a.welcomed, nil
	case kindBeat:
		a.silence = 0
		if a.welcomed && a.bundle != nil && read[beat](r).Orders > a.orders {
			a.send(kindOrders, ordersFrom{a.orders + 1}, nil)
		}
	case kindTime:
		a.setClock(read[clockSample](r))
	case kindPlan:
		return false, a.takePlan(ctx, read[planOf](r), r.data)
	case kindPiece:
		return false, a.takePiece(ctx, read[piece](r), r.data)
	case kindLook:
		a.look(ctx)
	case kindOrder:
		return false, a.takeOrder(ctx, r)
	case kindResend:
		a.resend(read[resend](r))
	case kindThanks:
		return a.done != nil, nil
	}
	return false, nil
}

// unknown is told by a controller that has given this agent up, as nothing came from it for long, or that never knew it, as it was
// started anew at the same address. Without a share yet it may join again; else what it does is of no use to anybody.
func (a *agent) unknown() error {
	switch {
	case !a.welcomed:
		return nil
	case a.bundle != nil:
		return ErrGone
	}
	a.welcomed = false
	a.sayHello()
	return nil
}

// setClock keeps the offset of the exchange of times that took least.
func (a *agent) setClock(s clockSample) {
	took := max(a.now()-s.Sent, 1)
	if a.roundTrip == 0 || took < a.roundTrip {
		a.roundTrip, a.offset = took, s.Here-(s.Sent+took/2)
	}
}
