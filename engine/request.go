package engine

import (
	"strconv"
	"sync/atomic"

	"golang.org/x/text/encoding"

	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// request is one compiled HTTP request.
type request struct {
	path       string // dotted path in the document
	label      labelRef
	condition  *template.Condition
	think      *thinkTime
	thinkAfter bool

	// Where it goes. target ≥ 0: to that target of the plan, with pathText behind it. Else url is made at run time.
	target   int
	at       location
	pathText *template.Template
	url      *template.Template
	base     *location          // default-address, for relative and rewritten links
	baseText *template.Template // the same when it is made at run time
	rewrite  bool
	linkTLS  tlsSettings

	method      string
	methodText  *template.Template // wins over method
	host        *template.Template // Host header instead of the URL's
	headerText  *template.Template // lines behind Host, each with its line end
	headerLines int
	query       *template.Template // form fields that are appended to the query
	bodyText    *template.Template
	largest     atomic.Int64 // bytes of the longest body that was made of it, or of one about as long
	parts       []bodyPart   // instead of bodyText, of a multipart body with files that are only known at run time
	bodyFile    *runTimeFile // instead of bodyText
	charset     encoding.Encoding
	boundary    string
	auth        []*authRule
	userAuth    bool
	userCookies bool

	static      bool // wire.Head holds the finished request, the same each time
	staticFrom  int  // header lines behind Host within wire.Head …
	staticTo    int  // … and their end
	staticBody  []byte
	wire        wire.Request // everything that does not change
	follow      bool
	redirects   int
	cookies     bool
	success     *statusSet
	extractions []extraction
	checks      []check
	caches      bool       // what the user remembers of earlier answers may stand for this one
	resources   *resources // nil: what pages embed is left out

	assumeSuccess bool
	needsURL      bool // some extractor reads the URL
	keepParts     bool // some extractor searches more than the last answer
}

// run makes the request and records its sample.
func (r *request) run(u *user) flow {
	if r.condition != nil {
		holds, err := r.condition.Eval(&u.ctx)
		if err != nil {
			counted, _ := r.begin(u, &u.sample, 0)
			return r.unsent(u, counted, "if: "+err.Error())
		}
		if !holds {
			return flowNext
		}
	}
	var pause int64
	if r.think != nil && !r.thinkAfter {
		var ok bool
		if pause, ok = u.think(r.think); !ok {
			return flowEnd
		}
	}
	if !u.background {
		if u.run.plan.load.requests > 0 && u.run.budget.Add(-1) < 0 {
			u.run.level.finish()
			return flowStop
		}
		if !u.permit() {
			return flowEnd
		}
	}
	if !u.mayGoOn() {
		return flowEnd
	}
	f := r.exchange(u, pause)
	if f == flowNext && r.think != nil && r.thinkAfter {
		if _, ok := u.think(r.think); !ok {
			return flowEnd
		}
	}
	return f
}

// exchange sends the request, follows redirects, reads the answer and records.
func (r *request) exchange(u *user, pause int64) flow {
	if r.caches && u.cache.any() {
		return r.exchangeCached(u, pause)
	}
	s := &u.sample
	counted, err := r.begin(u, s, pause)
	if err != nil {
		return r.unsent(u, counted, err.Error())
	}
	fault, text := r.send(u, s)
	return r.received(u, counted, fault, text)
}

// exchangeCached does the same for a user who knows earlier answers. One that is still good makes no request and no sample.
func (r *request) exchangeCached(u *user, pause int64) flow {
	s := &u.sample
	scheduled := u.scheduled
	counted, err := r.start(u, s, pause)
	if err != nil {
		u.countStart(s, counted)
		return r.unsent(u, counted, err.Error())
	}
	lines, conn, err := r.render(u)
	if err == nil && u.stillFresh(u.where(r), lines) {
		u.scheduled = scheduled
		return flowNext
	}
	u.countStart(s, counted)
	fault, text := r.sendRendered(u, s, lines, conn, err)
	return r.received(u, counted, fault, text)
}

// received reads the answer and records the sample.
func (r *request) received(u *user, counted bool, fault metrics.Fault, text string) flow {
	s := &u.sample
	switch fault {
	case metrics.NoFault:
		var embedded metrics.Fault
		var why string
		if r.resources != nil {
			if embedded, why = r.resources.fetch(u, r, s); embedded == metrics.FaultInterrupted {
				fault, text = embedded, why
				break
			}
		}
		if fault, text = r.read(u, s); fault == metrics.NoFault {
			fault, text = embedded, why
		}
	case metrics.FaultInterrupted:
	default:
		r.forget(u)
	}
	u.finish(r, s, fault, text, counted)
	u.resp.Release()
	if fault == metrics.FaultInterrupted {
		return flowEnd
	}
	return flowNext
}

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

// send makes the exchanges of a request, redirects included. Afterwards u.where tells where the last one went.
func (r *request) send(u *user, s *metrics.Sample) (metrics.Fault, string) {
	if r.static && (u.jar == nil || r.userCookies || !r.cookies) {
		send := &r.wire
		if u.trace != nil {
			send = u.fresh(r)
		}
		u.exchange(u.connection(r.target), send)
		u.stamp(s, true)
		return r.settle(u, s, send, r.wire.Head[r.staticFrom:r.staticTo])
	}
	return r.sendMade(u, s)
}

// fresh makes the user's own copy of what does not change in a request. A tracer wants to see everything.
func (u *user) fresh(r *request) *wire.Request {
	u.makes()
	u.req = r.wire
	if u.trace != nil {
		u.req.KeepHead, u.req.KeepBody = true, true
	}
	return &u.req
}

// settle does what is the same for static and for made requests once the answer is there: cookies and redirects.
func (r *request) settle(u *user, s *metrics.Sample, sent *wire.Request, lines []byte) (metrics.Fault, string) {
	u.sentHead = sent.Head
	if u.trace != nil {
		u.traced(r, sent)
	}
	if r.cookies && hasSetCookie(u.resp.Head) {
		u.keepCookies(u.where(r))
	}
	switch {
	case u.resp.Fault != wire.NoFault || u.cache == nil:
	case r.caches:
		u.remember(u.where(r), lines)
	case u.cache.any() && !isSafe(sent.Method) && u.resp.Status < 400:
		u.cache.drop(cacheKey(u.where(r))) // RFC 9111 section 4.4
	}
	r.challenged(u, s)
	if r.follow && isRedirect(u.resp.Status) && u.resp.Fault == wire.NoFault {
		return r.redirect(u, s, sent, lines)
	}
	return faultOf(u.resp.Fault), u.resp.Detail
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
