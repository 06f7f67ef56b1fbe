package engine

import (
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
