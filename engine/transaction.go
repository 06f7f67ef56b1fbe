package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// transactionStep reports the sum of its children under a label of its own. With force-parent-sample only the
// sum is reported, and counts as one request.
type transactionStep struct {
	label  labelRef
	do     []step
	forced bool
	timers bool // pauses belong to the time
}

func (c *compiler) transactionStep(in *config.Transaction, sc *scope) step {
	s := &transactionStep{forced: in.ForceParentSample.Or(sc.scenario.ForceParentSample), timers: in.IncludeTimers}
	kind := metrics.TransactionKind
	if s.forced {
		kind = metrics.RequestKind
	}
	s.label = c.label(in.Label, kind)
	if s.forced {
		c.hiding++
		defer func() { c.hiding-- }()
	}
	s.do = c.steps(in.Do, sc)
	return s
}

// sum adds up the children of one transaction.
type sum struct {
	forced bool
	parent sink
	sample metrics.Sample
	any    bool
}

func (t *sum) take(u *user, s *metrics.Sample, text string) {
	if s.Kind == metrics.RequestKind {
		t.add(s)
	}
	if !t.forced {
		u.deliver(t.parent, s, text)
	}
}

// add lays the phases of a child behind those before it: the sum has no gaps.
func (t *sum) add(s *metrics.Sample) {
	p := &t.sample
	if !t.any {
		t.any = true
		p.Flags |= metrics.Unsent | s.Flags&metrics.WarmUp
		p.Scheduled, p.Start, p.DNS, p.Connected, p.TLS, p.Sent, p.FirstByte, p.End = s.Scheduled, s.Start, s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte, s.End
	} else {
		dns, connect, handshake := p.DNS-p.Start+s.DNS-s.Start, p.Connected-p.DNS+s.Connected-s.DNS, p.TLS-p.Connected+s.TLS-s.Connected
		send, wait, receive := p.Sent-p.TLS+s.Sent-s.TLS, p.FirstByte-p.Sent+s.FirstByte-s.Sent, p.End-p.FirstByte+s.End-s.FirstByte
		p.DNS = p.Start + dns
		p.Connected = p.DNS + connect
		p.TLS = p.Connected + handshake
		p.Sent = p.TLS + send
		p.FirstByte = p.Sent + wait
		p.End = p.FirstByte + receive
	}
	p.BytesIn += s.BytesIn
	p.BytesOut += s.BytesOut
	p.ClientWork += s.ClientWork
	p.Exchanges += s.Exchanges
	if s.Flags&metrics.Unsent == 0 {
		p.Flags &^= metrics.Unsent
	}
	p.Flags |= s.Flags & (metrics.Failed | metrics.Interrupted | metrics.NewConnection)
	if p.Fault == metrics.NoFault {
		p.Fault, p.Status = s.Fault, s.Status
	}
}

func (s *transactionStep) run(u *user) flow {
	x := u.run
	t := &sum{forced: s.forced, parent: u.sink}
	label, counted := x.engine.labelOf(s.label), !s.label.ignored
	if s.label.dynamic != nil {
		label, counted, _ = x.dynamicLabel(u, &s.label)
	}
	began, scheduled := u.now(), u.scheduled
	u.sink = t
	if s.forced {
		u.holding++
	}
	f := u.runSteps(s.do)
	u.sink = t.parent
	if s.forced {
		u.holding--
	}
	if !t.any {
		return f // nothing was sent: there is nothing to report
	}
	p := &t.sample
	if s.timers {
		// Pauses count as waiting: the phases keep their length.
		late, end := p.Start-began, u.now()
		receive := p.End - p.FirstByte
		p.Start, p.DNS, p.Connected, p.TLS, p.Sent = began, p.DNS-late, p.Connected-late, p.TLS-late, p.Sent-late
		p.End = end
		p.FirstByte = max(p.Sent, end-receive)
		warm := u.dueInWarmUp(scheduled)
		if p.Scheduled = scheduled; scheduled < 0 {
			p.Scheduled, warm = began, began < x.warmUntil
		}
		if p.Flags &^= metrics.WarmUp; warm {
			p.Flags |= metrics.WarmUp
		}
	}
	p.Iteration, p.Execution, p.User, p.Users, p.Label = u.ticket, uint16(x.plan.index), u.number, uint32(x.load.Users()), label
	if p.Kind = metrics.TransactionKind; s.forced {
		p.Kind = metrics.RequestKind
	}
	if f == flowEnd {
		p.Flags |= metrics.Interrupted
	}
	if u.background {
		p.Flags |= metrics.WarmUp
	}
	if counted {
		u.release(u.sink, p, "")
	}
	return f
}
