package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/stacrun/stacrun/engine"
)

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
		a.late = max(a.late, a.clock.Now()-o.Start)
		a.director.begin(o.Target, beginning{o.Start, data})
	case doControl:
		if o.Command == nil {
			a.log.Warn("control", "error", "it says nothing")
		} else if err := a.engine.Control(*o.Command); err != nil && !errors.Is(err, engine.ErrEnded) { // this share may end before others
			a.log.Warn("control", "error", err)
		}
	case doStop:
		if o.Target == "" {
			a.told = true
			a.engine.Stop(o.Reason)
		} else if err := a.engine.Control(engine.Command{Execution: o.Target, Stop: true}); err != nil && !errors.Is(err, engine.ErrEnded) {
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
	if a.roundTrip == 0 {
		began = time.Now().Add(startNotice)
	}
	a.clock = engine.NewClockAt(began)
	a.director = newDirector(func(execution string) { a.send(kindEnded, ended{execution}, nil) })
	a.engine = engine.New(a.plan, engine.RunOptions{Clock: a.clock, Director: a.director, Logger: a.log, Connect: a.opts.Connect})
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
	case a.engine == nil:
		a.send(kindLeave, leave{reason}, nil)
		if err := a.link.Flush(); err != nil {
			a.log.Warn("leave", "error", err) // its silence will tell
		}
		return true
	case a.done != nil:
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
