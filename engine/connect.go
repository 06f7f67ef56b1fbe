package engine

import (
	"slices"
	"sync"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/internal/dying"
)

// Connection makes exchanges for one user, to one target; it is a [wire.Conn] unless a test puts its own there.
// All but Abort belong to the user's goroutine.
type Connection interface {
	Do(req *wire.Request, resp *wire.Response)
	Abort()
	Close()
}

var _ Connection = (*wire.Conn)(nil)

// runTarget is a target while a plan runs.
type runTarget struct {
	at        location
	authority string
	wire      *wire.Target
	made      func(origin string) Connection // of RunOptions.Connect
}

func (t *runTarget) connect() Connection {
	if t.made != nil {
		return t.made(t.at.origin())
	}
	return &wire.Conn{Target: t.wire}
}

func (e *Engine) newTarget(t *target) *runTarget {
	r := &runTarget{at: t.at, authority: t.at.authority(), made: e.opts.Connect}
	if r.made == nil {
		r.wire = wire.NewTarget(t.at.scheme, t.at.host, t.at.port, e.plan.proxy.reach(&t.at, e.plan.dns.options(wire.TargetOptions{
			Clock: e.clock.Now, TLS: t.tls, Sources: t.sources, Moved: e.nameMoved, Short: e.short.add, Dying: e.dying,
		})))
	}
	return r
}

// dying ends the process by a panic in a goroutine of a target.
func (e *Engine) dying(mistake any) { dying.End(mistake, e.opts.Dying) }

func (e *Engine) connectTargets() {
	for _, t := range e.plan.targets {
		e.targets = append(e.targets, e.newTarget(t))
	}
}

// foundTargets are hosts that came up at run time, by redirects and links.
type foundTargets struct {
	mu    sync.RWMutex // guards what follows
	byKey map[targetKey]*runTarget
}

// maxFound bounds them, should a server make up hosts without end.
const maxFound = 1000

// targetAt finds the target of a location: one of the plan (number ≥ 0), or one that is made now.
func (e *Engine) targetAt(l *location, settings *tlsSettings) (t *runTarget, number int) {
	key := targetKey{scheme: l.scheme, host: l.host, port: l.port}
	key.spread = len(settings.sources) > 0
	if l.scheme == "https" {
		key.tls = settings.key
	}
	for i, known := range e.plan.targets {
		if known.key == key {
			return e.targets[i], i
		}
	}
	e.found.mu.RLock()
	t = e.found.byKey[key]
	e.found.mu.RUnlock()
	if t != nil {
		return t, -1
	}
	made := &target{sources: settings.sources, at: location{scheme: l.scheme, host: l.host, port: l.port}, key: key}
	if l.scheme == "https" {
		made.tls = settings.conf
	}
	e.found.mu.Lock()
	defer e.found.mu.Unlock()
	if t, ok := e.found.byKey[key]; ok {
		return t, -1
	}
	if e.found.byKey == nil || len(e.found.byKey) >= maxFound {
		e.found.byKey = map[targetKey]*runTarget{}
	}
	t = e.newTarget(made)
	e.found.byKey[key] = t
	return t, -1
}

// rewrite is a host that links named, and the one that they were followed at.
type rewrite struct{ from, to location }

// rewritten notes once per host that links which name it are sent to the scenario's own address. Every such link asks, so who is
// known is found without a lock.
func (x *running) rewritten(from, to *location) {
	known := x.rewrites.Load()
	if known != nil {
		for i := range *known {
			if r := &(*known)[i]; r.from.sameHost(from) && r.to.sameHost(to) {
				return
			}
		}
		if len(*known) >= maxWarnings {
			return
		}
	}
	fresh := []rewrite{{*from, *to}}
	if known != nil {
		fresh = slices.Concat(*known, fresh)
	}
	// Where somebody else added one meanwhile, this one is added when it comes up again.
	x.rewrites.CompareAndSwap(known, &fresh)
	x.engine.warnOnce(x.plan.scenario + ": links to " + from.origin() + " are followed at " + to.origin() + " (follow-links: rewrite)")
}
