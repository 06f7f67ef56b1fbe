package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// user is one virtual user: a goroutine, its variables, cookies and connections. Ten thousand of them are
// kept, so what only some plans need is behind a pointer.
type user struct {
	run    *running
	gate   *gate
	vars   *template.Vars
	ctx    template.Context
	stream *stream
	jar    *jar

	cache   *cache   // nil where no request uses it
	answers *answers // to the challenges of servers; nil where no request needs them

	conns  []Connection // by number of the plan's target, made when first needed
	extra  *extraConns  // to hosts that are only known at run time
	connMu sync.Mutex   // guards conns, extra and dead against Abort

	resp     wire.Response
	sentHead []byte // of the request that was answered last
	sample   metrics.Sample

	*making          // see makes
	reading *reading // nil until an answer is read
	parts   *parts   // nil until a request keeps some

	trace      *Trace   // nil under load
	heldTraces *[]Trace // of an attempt of which it is not known whether it is the last one

	iteration int64 // counted per user, from 0
	ticket    int64 // what samples carry: iteration, or the number of the arrival
	scheduled int64 // of the iteration, until its first request has taken it; then -1
	moved     int64 // by how much pauses have moved that on
	started   int64 // when the iteration began
	timer     *time.Timer
	sink      sink         // where samples go instead of the recorder; nil mostly
	branches  []*user      // of parallel steps, kept for their connections
	turn      *sync.Mutex  // shared by a user and its branches: who holds it may touch variables; nil without branches
	assigned  chan arrival // open model: what the user shall do; closed: go home

	number     uint32
	holding    uint32      // sinks on the way that hold samples back
	unlisted   uint16      // exchanges of requests that results leave out; the iteration's sample carries them
	failed     bool        // some request of the iteration failed
	uncounted  bool        // the iteration has begun nothing, as it waits for its first permit: it does not count as started
	warm       bool        // the iteration fell due in the warm-up
	once       bool        // first iteration of this user
	retired    atomic.Bool // sent home: no further iteration
	unfit      bool        // setup turned away, or there was no row for it
	drawn      bool        // the row of the next iteration has been drawn, for setup
	background bool        // prepare, finish, setup and teardown: outside the measured window
	dead       bool        // aborted; guarded by connMu
	located    bool        // making.last is where the last exchange went
	elsewhere  bool        // the request is at an origin to which another server sent it: what is for the file's own one is not for this
}

// making is what requests that are made anew each time are made in.
type making struct {
	req        wire.Request
	head       []byte // buffer of those
	body       []byte
	last       location // of the last exchange, when located
	targetFrom int      // the request target within head …
	targetTo   int      // … and its end
}

// makes is called before anything of making is used.
func (u *user) makes() {
	if u.making == nil {
		u.making = new(making)
	}
}

// reading is what answers are read in.
type reading struct {
	answer extract.Response
	found  extract.Result
}

// newUser makes a user of a running execution, with the variables that the scenario and prepare gave.
func (x *running) newUser(number uint32, g *gate) *user {
	u := &user{
		run: x, gate: g, number: number, once: true, scheduled: -1,
		vars:   template.NewVars(x.plan.names),
		stream: newStream(),
		conns:  make([]Connection, len(x.engine.targets)),
	}
	u.vars.CopyFrom(x.vars)
	u.ctx = template.Context{Place: x.place, Vars: u.vars, Rand: u.stream.rand, User: number}
	if len(x.plan.cookies) > 0 {
		u.jar = x.firstCookies(u)
	}
	if x.plan.caching {
		u.cache = new(cache)
	}
	if x.plan.challenges {
		u.answers = new(answers)
	}
	x.enlist(u)
	return u
}

// now is nanoseconds since the start of the run.
func (u *user) now() int64 { return u.run.engine.clock.Now() }

// mayGoOn reports whether the user may begin a request. The first one of an arrival may when no more than the plan's time is up: it
// fell due before.
func (u *user) mayGoOn() bool { return u.gate.open() || u.scheduled >= 0 && u.run.timeUp.Load() }

// dueInWarmUp reports whether what is due at a moment, as pauses have moved it with the arrival, first fell due in the warm-up: it
// counts where its iteration does.
func (u *user) dueInWarmUp(scheduled int64) bool { return scheduled-u.moved < u.run.warmUntil }

// sleepUntil waits until the moment at; false: the plan ended before.
func (u *user) sleepUntil(at int64) bool {
	wait := at - u.now()
	if wait <= 0 {
		return u.gate.open()
	}
	u.leave()
	defer u.enter()
	if u.timer == nil {
		u.timer = time.NewTimer(time.Duration(wait))
	} else {
		u.timer.Reset(time.Duration(wait))
	}
	select {
	case <-u.timer.C:
		return u.gate.open()
	case <-u.gate.closing:
		u.timer.Stop()
		return false
	}
}

// leave lets other branches of the same user go on while this one waits; enter takes the turn again.
// A user without branches has nobody to share with.
func (u *user) leave() {
	if u.turn != nil {
		u.turn.Unlock()
	}
}

func (u *user) enter() {
	if u.turn != nil {
		u.turn.Lock()
	}
}

// exchange makes one exchange on a connection.
func (u *user) exchange(c Connection, req *wire.Request) {
	if u.turn == nil {
		c.Do(req, &u.resp)
		return
	}
	u.turn.Unlock()
	c.Do(req, &u.resp)
	u.turn.Lock()
}

// connection gives the user's connection to a target of the plan.
func (u *user) connection(target int) Connection {
	if c := u.conns[target]; c != nil {
		return c
	}
	u.connMu.Lock()
	defer u.connMu.Unlock()
	c := u.run.engine.targets[target].connect()
	u.conns[target] = c
	if u.dead {
		c.Abort()
	}
	return c
}

// extraConns are connections to hosts that came up at run time, such as by redirects.
type extraConns struct {
	list []extraConn
}

type extraConn struct {
	to   *runTarget
	conn Connection
}

// maxExtra bounds them: the oldest is closed for a new one.
const maxExtra = 8

func (u *user) extraConnection(to *runTarget) Connection {
	if u.extra != nil {
		for i := range u.extra.list {
			if u.extra.list[i].to == to {
				return u.extra.list[i].conn
			}
		}
	}
	u.connMu.Lock()
	defer u.connMu.Unlock()
	if u.extra == nil {
		u.extra = new(extraConns)
	}
	if len(u.extra.list) >= maxExtra {
		u.extra.list[0].conn.Close()
		u.extra.list = append(u.extra.list[:0], u.extra.list[1:]...)
	}
	c := to.connect()
	u.extra.list = append(u.extra.list, extraConn{to, c})
	if u.dead {
		c.Abort()
	}
	return c
}

// abort ends the running exchange and all later ones. Any goroutine may call it.
func (u *user) abort() {
	u.connMu.Lock()
	defer u.connMu.Unlock()
	u.dead = true
	for _, c := range u.conns {
		if c != nil {
			c.Abort()
		}
	}
	if u.extra != nil {
		for i := range u.extra.list {
			u.extra.list[i].conn.Abort()
		}
	}
}

// end closes what the user holds.
func (u *user) end() {
	u.resp.Release()
	for _, b := range u.branches {
		b.end()
	}
	u.run.dismiss(u)
	u.connMu.Lock()
	defer u.connMu.Unlock()
	for i, c := range u.conns {
		if c != nil {
			c.Close()
			u.conns[i] = nil
		}
	}
	if u.extra != nil {
		for i := range u.extra.list {
			u.extra.list[i].conn.Close()
		}
		u.extra = nil
	}
	if u.timer != nil {
		u.timer.Stop()
	}
}
