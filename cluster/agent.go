package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
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
	keptTicks  = 300              // that can be sent again
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

	offset  int64 // from its clock to the controller's, ns
	roundUp int64 // ns of the best exchange of times; 0: none yet

	share  engine.Share
	bundle *Bundle
	file   fetch
	made   chan making
	plan   *engine.Plan
	state  alive
	looked chan looked

	orders  int // carried out so far
	waiting map[int]*received
	told    bool // to stop, by the controller

	engine    *engine.Engine
	director  *director
	intervals <-chan *metrics.Interval
	codec     *metrics.Codec
	ticks     [][]byte // sent, the last keptTicks
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
	a := &agent{
		opts: opts, link: link, base: time.Now(), log: opts.Logger, pulsed: time.Now(), made: make(chan making, 1), looked: make(chan looked, 1),
		waiting: map[int]*received{}, codec: metrics.NewCodec(),
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	defer a.codec.Close()
	err := a.serve(ctx)
	a.abandon()
	return a.ending, err
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

// setClock keeps the offset of the exchange of times that took least.
func (a *agent) setClock(s clockSample) {
	took := max(a.now()-s.Sent, 1)
	if a.roundUp == 0 || took < a.roundUp {
		a.roundUp, a.offset = took, s.Here-(s.Sent+took/2)
	}
}

// takeOrder carries orders out one after the other, each once.
func (a *agent) takeOrder(ctx context.Context, r *received) error {
	number := read[order](r).Number
	if !a.welcomed || a.plan == nil || number <= a.orders {
		return nil
	}
	a.waiting[number] = r
	if number > a.orders+1 {
		a.send(kindOrders, ordersFrom{a.orders + 1}, nil)
	}
	for next := a.waiting[a.orders+1]; next != nil; next = a.waiting[a.orders+1] {
		a.orders++
		delete(a.waiting, a.orders)
		if err := a.obey(ctx, read[order](next), next.data); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) obey(ctx context.Context, o order, data []byte) error {
	if o.Do == doStart {
		return a.start(ctx, o.Start)
	}
	if a.engine == nil {
		return nil
	}
	switch o.Do {
	case doBegin:
		a.director.begin(o.Target, beginning{o.Start, data})
	case doControl:
		if err := a.engine.Control(*o.Command); err != nil {
			a.log.Warn("control", "error", err)
		}
	case doStop:
		if o.Target == "" {
			a.told = true
			a.engine.Stop(o.Reason)
		} else if err := a.engine.Control(engine.Command{Execution: o.Target, Stop: true}); err != nil {
			a.log.Warn("stop", "execution", o.Target, "error", err)
		}
	case doAbort:
		a.told = true
		a.engine.Abort(o.Reason)
	case doOver:
		a.director.close()
	}
	return nil
}

// start starts the clock of the run at a moment of the controller's clock.
func (a *agent) start(ctx context.Context, at int64) error {
	began := a.base.Add(time.Duration(at - a.offset))
	if a.roundUp == 0 {
		began = time.Now().Add(startNotice)
	}
	a.director = newDirector(func(execution string) { a.send(kindEnded, ended{execution}, nil) })
	a.engine = engine.New(a.plan, engine.RunOptions{Clock: engine.NewClockAt(began), Director: a.director, Logger: a.log, Connect: a.opts.Connect})
	var err error
	if a.intervals, err = a.engine.Start(ctx); err != nil {
		return err
	}
	a.ending.Ran = true
	a.say("the load begins")
	return nil
}

// leave ends this agent's part; over: it had none yet.
func (a *agent) leave(reason string) (over bool) {
	a.ending.Left, a.ending.Reason = true, reason
	switch {
	case a.engine == nil || a.done != nil:
		return true
	case a.left == "":
		a.left = reason
		a.engine.Stop(reason)
	default:
		a.engine.Abort(reason)
	}
	return false
}

// reason is why this agent ends the run for all, such as an action of the scenario; "" when it does not.
func (a *agent) reason() string {
	if a.told || a.left != "" {
		return ""
	}
	return a.engine.Reason()
}

// tick sends one interval.
func (a *agent) tick(iv *metrics.Interval) error {
	a.sequence = iv.Sequence
	frame, err := a.codec.Append(nil, iv)
	if err != nil {
		return err
	}
	text := message(kindTick, tick{Sequence: iv.Sequence, Reason: a.reason(), Over: a.director.finished()}, frame)
	if a.ticks = append(a.ticks, text); len(a.ticks) > keptTicks {
		a.ticks = a.ticks[1:]
	}
	if err := a.link.Send(text); err != nil {
		a.log.Warn("send interval", "error", err) // it is asked for again
	}
	return nil
}

// resend sends ticks again that did not arrive.
func (a *agent) resend(r resend) {
	first := a.sequence - uint64(len(a.ticks)) + 1
	for sequence := max(r.First, first); sequence <= min(r.Last, a.sequence); sequence++ {
		if err := a.link.Send(a.ticks[sequence-first]); err != nil {
			a.log.Warn("send interval again", "error", err)
			return
		}
	}
}

// lastWord says that all has been told.
func (a *agent) lastWord() {
	a.intervals = nil
	a.done = &done{Ticks: a.sequence, Left: a.left, Reason: a.reason()}
	if err := a.engine.Err(); err != nil {
		a.done.Error = err.Error()
	}
	if a.ending.Reason == "" {
		a.ending.Reason = a.engine.Reason()
	}
	a.send(kindDone, a.done, nil)
}
