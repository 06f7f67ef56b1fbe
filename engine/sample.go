package engine

import (
	"strconv"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// begin fills in what is known before the exchange, and counts the request as started unless its
// label is left out of the results.
func (r *request) begin(u *user, s *metrics.Sample, pause int64) (counted bool, err error) {
	counted, err = r.start(u, s, pause)
	u.countStart(s, counted)
	return counted, err
}

func (u *user) countStart(s *metrics.Sample, counted bool) {
	u.begun()
	if counted && u.holding == 0 {
		u.run.load.Part(s.Flags&metrics.WarmUp != 0).RequestStarted(u.number)
	}
}

// markWarmUp tells whether what begins now is warm-up: by when it fell due or, where nothing said so, by this moment. It is decided once, so
// that what counts as started in the warm-up also ends in it.
func (u *user) markWarmUp(s *metrics.Sample) {
	x := u.run
	warm := u.background
	if !warm && x.plan.load.warmUp > 0 {
		if warm = s.Scheduled >= 0 && u.dueInWarmUp(s.Scheduled); s.Scheduled < 0 && !x.warmedUp.Load() {
			if warm = u.now() < x.warmUntil; !warm {
				x.warmedUp.Store(true)
			}
		}
	}
	if warm {
		s.Flags |= metrics.WarmUp
	}
}

// start fills in what is known before the exchange.
func (r *request) start(u *user, s *metrics.Sample, pause int64) (counted bool, err error) {
	x := u.run
	*s = metrics.Sample{
		Scheduled: -1, Iteration: u.ticket, Execution: uint16(x.plan.index), User: u.number,
		Users: uint32(x.load.Users()), Kind: r.label.kind,
	}
	if u.scheduled >= 0 {
		s.Scheduled = u.scheduled + pause
		u.scheduled = -1
	}
	u.markWarmUp(s)
	u.located, u.elsewhere, u.ctx.Label = false, false, r.label.text
	if r.keepParts {
		u.startParts()
	}
	counted = !r.label.ignored
	if r.label.dynamic != nil {
		s.Label, counted, err = x.dynamicLabel(u, &r.label)
	} else if counted {
		s.Label = x.engine.labels[r.label.index]
	}
	return counted, err
}

// stamp takes over the times and counts of an exchange; further ones of the same sample are added.
func (u *user) stamp(s *metrics.Sample, first bool) {
	t, resp := &u.resp.Timing, &u.resp
	if first {
		s.Start, s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte, s.End = t.Start, t.DNS, t.Connected, t.TLS, t.Sent, t.FirstByte, t.End
		if s.Scheduled < 0 {
			s.Scheduled = t.Start
		}
	} else {
		// Phases add up; what passed between two exchanges is waiting.
		dns := s.DNS - s.Start + t.DNS - t.Start
		connect := s.Connected - s.DNS + t.Connected - t.DNS
		handshake := s.TLS - s.Connected + t.TLS - t.Connected
		send := s.Sent - s.TLS + t.Sent - t.TLS
		receive := s.End - s.FirstByte + t.End - t.FirstByte
		s.End = t.End
		s.DNS = s.Start + dns
		s.Connected = s.DNS + connect
		s.TLS = s.Connected + handshake
		s.Sent = s.TLS + send
		s.FirstByte = max(s.End-receive, s.Sent)
	}
	s.BytesOut += resp.BytesOut
	s.BytesIn += resp.BytesIn
	s.Status = uint16(resp.Status)
	s.Exchanges += uint16(resp.Exchanges)
	if resp.NewConnection {
		s.Flags |= metrics.NewConnection
	}
}

// unsent records a request that could not be made from its templates: nothing went out.
func (r *request) unsent(u *user, counted bool, text string) flow {
	s := &u.sample
	u.resp.Release()
	u.resp = wire.Response{}
	u.stampNow(s)
	r.forget(u)
	u.finish(r, s, metrics.FaultTemplate, text, counted)
	return flowNext
}

// stampNow makes a sample of which nothing was tried.
func (u *user) stampNow(s *metrics.Sample) {
	now := u.now()
	s.Start, s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte, s.End = now, now, now, now, now, now, now
	s.Flags |= metrics.Unsent
	if s.Scheduled < 0 {
		s.Scheduled = now
	}
}

// finish gives the sample its verdict and hands it on.
func (u *user) finish(r *request, s *metrics.Sample, fault metrics.Fault, text string, counted bool) {
	s.Fault = fault
	u.ctx.LastFailed = fault != metrics.NoFault
	switch {
	case fault == metrics.FaultInterrupted:
		s.Flags |= metrics.Interrupted
		u.run.cut.add(s.End - s.Start)
	case fault != metrics.NoFault:
		s.Flags |= metrics.Failed
		u.failed = true
	}
	if u.trace != nil {
		u.emitTrace(r, s, text)
	}
	if counted {
		u.deliver(u.sink, s, text)
	} else {
		u.unlisted += s.Exchanges
	}
}

// emit hands a finished sample to the recorder and to whoever wants it raw.
func (u *user) emit(s *metrics.Sample, text string) {
	e := u.run.engine
	if text != "" && s.Flags&metrics.Failed != 0 {
		e.recorder.Failure(s, text)
	} else {
		e.recorder.Record(s)
	}
	if e.tap != nil {
		e.tap.add(s)
	}
}

// faultOf maps the wire's faults to the house's.
func faultOf(f wire.Fault) metrics.Fault {
	switch f {
	case wire.NoFault:
		return metrics.NoFault
	case wire.FaultDNS:
		return metrics.FaultDNS
	case wire.FaultConnectRefused:
		return metrics.FaultConnectRefused
	case wire.FaultConnectTimeout:
		return metrics.FaultConnectTimeout
	case wire.FaultConnect:
		return metrics.FaultConnect
	case wire.FaultTLS:
		return metrics.FaultTLS
	case wire.FaultReset:
		return metrics.FaultReset
	case wire.FaultClosedEarly:
		return metrics.FaultClosedEarly
	case wire.FaultTimeout:
		return metrics.FaultTimeout
	case wire.FaultTooLarge:
		return metrics.FaultTooLarge
	case wire.FaultInterrupted:
		return metrics.FaultInterrupted
	}
	return metrics.FaultProtocol
}

// statusText is the failure text of a status.
func statusText(status int) string { return "status " + strconv.Itoa(status) }
