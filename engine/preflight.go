package engine

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/wire"
)

// reserve is how many descriptors the process needs beside connections: logs, reports, timers, look-ups of names.
const reserve = 32

// connections is how many may be open at once.
func (p *Plan) connections() int64 { return p.connectionsOf(p.ownUsers()) }

// ownUsers is the most users that each execution has in this process.
func (p *Plan) ownUsers() (users []int64) {
	for _, x := range p.executions {
		users = append(users, x.load.own())
	}
	return users
}

// connectionsOf is how many connections so many users of the executions have open at once: one per user and target of its execution, more where
// branches run in parallel.
func (p *Plan) connectionsOf(users []int64) int64 {
	slots := p.capacity
	if slots <= 0 || slots > len(p.executions) {
		slots = len(p.executions)
	}
	var needs []int64
	for number, x := range p.executions {
		branches := widest(x.script)
		for i := range x.tasks {
			branches = max(branches, widest(x.tasks[i].steps))
		}
		needs = append(needs, users[number]*int64(max(len(x.targets), 1))*int64(max(branches, 1)))
	}
	if slots == len(needs) {
		sum := int64(0)
		for _, n := range needs {
			sum += n
		}
		return sum
	}
	// At most so many executions run at a time: the largest ones decide.
	sum := int64(0)
	for range slots {
		largest := 0
		for i := range needs {
			if needs[i] > needs[largest] {
				largest = i
			}
		}
		sum += needs[largest]
		needs[largest] = 0
	}
	return sum
}

// widest is the most branches of a script in flight at once.
func widest(list []step) int {
	most := 1
	for _, s := range list {
		switch s := s.(type) {
		case *ifStep:
			most = max(most, widest(s.then), widest(s.other))
		case *loopStep:
			most = max(most, widest(s.do))
		case *whileStep:
			most = max(most, widest(s.do))
		case *forEachStep:
			most = max(most, widest(s.do))
		case *onceStep:
			most = max(most, widest(s.do))
		case *transactionStep:
			most = max(most, widest(s.do))
		case *retryStep:
			most = max(most, widest(s.do))
		case *includeStep:
			most = max(most, widest(s.do))
		case *parallelStep:
			most = max(most, 1+s.inFlight*widest(s.branches))
		}
	}
	return most
}

func (p *Plan) limits() Limits {
	l := Limits{DescriptorsNeeded: p.connections() + reserve}
	if have, ok := descriptorLimit(); ok {
		l.DescriptorsHave = &have
	}
	return l
}

// probeTimeout bounds the question whether a target is there.
const probeTimeout = 5 * time.Second

// Preflight holds the plan against the machine and its targets: descriptors (the soft limit is raised
// first), ports, and one connection to each target host.
func Preflight(ctx context.Context, plan *Plan) diag.List {
	var list diag.List
	l := plan.limits()
	if l.DescriptorsHave != nil && l.DescriptorsNeeded > *l.DescriptorsHave {
		list.Errorf("descriptors", diag.Pos{}, "", "the plan needs %d file descriptors, this process may open %d", l.DescriptorsNeeded, *l.DescriptorsHave).
			WithHint("%s", plan.descriptorHint(l.DescriptorsNeeded, *l.DescriptorsHave))
	}
	plan.checkPorts(&list, plan.ownUsers())
	plan.probe(ctx, &list)
	return list
}

// descriptorHint says what to do about a limit; fewer users are no advice where not even one has room.
func (p *Plan) descriptorHint(need, have int64) string {
	hint := fmt.Sprintf("raise the limit (ulimit -n %d)", need)
	users := int64(0)
	for _, x := range p.executions {
		users += x.load.own()
	}
	// A user may need several connections.
	if most := (have - reserve) * users / max(p.connections(), 1); most >= 1 {
		hint += ", or use at most " + plural(int(most), "user")
	}
	return hint
}

// checkPorts warns when more connections to one address are wanted than a source address has ports.
func (p *Plan) checkPorts(list *diag.List, users []int64) {
	ports, ok := ephemeralPorts()
	if !ok {
		return
	}
	perTarget := map[string]int64{}
	pos := map[string]diag.Pos{}
	for number, x := range p.executions {
		for _, t := range x.targets {
			key := net.JoinHostPort(t.at.host, t.at.port)
			perTarget[key] += users[number]
			pos[key] = t.pos
		}
	}
	for key, users := range perTarget {
		if users > ports {
			list.Warnf("ports", pos[key], "", "%d users want a connection to %s, but this machine has %d ephemeral ports for one address", users, key, ports).
				WithHint("widen net.ipv4.ip_local_port_range, or spread the load over several target addresses")
		}
	}
}

// probe connects once to each target host, all at the same time.
func (p *Plan) probe(ctx context.Context, list *diag.List) {
	clock := NewClock()
	answers := make([]*diag.Diagnostic, len(p.targets))
	var all sync.WaitGroup
	for i, t := range p.targets {
		all.Go(func() {
			conn := wire.NewTarget(t.at.scheme, t.at.host, t.at.port, p.proxy.reach(&t.at, p.dns.options(wire.TargetOptions{Clock: clock.Now, TLS: t.tls})))
			fault, detail := conn.Probe(probeTimeout)
			if fault == wire.NoFault {
				return
			}
			var one diag.List
			d := one.Errorf("target-down", t.pos, "", "nothing answers at %s: %s", t.at.origin(), detail)
			switch through := p.proxy.of(&t.at); {
			case through != nil && fault != wire.FaultTLS:
				d.Message = fmt.Sprintf("the proxy %s does not lead to %s: %s", through.address, t.at.origin(), detail)
				d.WithHint("%s", proxyHint(detail))
			case fault == wire.FaultDNS:
				d.Message = fmt.Sprintf("host %q of %s cannot be found: %s", t.at.host, t.at.origin(), detail)
				d.WithHint("is the name spelt right?")
			case fault == wire.FaultTLS:
				d.Message = fmt.Sprintf("no TLS session with %s: %s", t.at.origin(), detail)
				d.WithHint("%s", tlsHint(&t.at, detail))
			default:
				d.WithHint("%s", startHint(&t.at))
			}
			answers[i] = d
		})
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return // whoever asked has gone; the probes end by their own timeout
	}
	for _, d := range answers {
		if d != nil {
			list.Add(*d)
		}
	}
}

// tlsHint says what may be wrong with a handshake: only a certificate that is not accepted is mended by tls settings.
func tlsHint(l *location, detail string) string {
	if strings.Contains(detail, "certificate") || strings.Contains(detail, "x509") {
		return "write tls: {ca: FILE} for a private authority, or tls: {verify: false} to skip the check"
	}
	plain := *l
	plain.scheme = "http"
	return "does this port speak TLS at all? If not, write " + plain.origin()
}

// proxyHint says where a proxy is written.
func proxyHint(detail string) string {
	if strings.Contains(detail, "status 407") {
		return "it wants a name: write http.proxyUser and http.proxyPass under modules.jmeter.system-properties"
	}
	return "it stands under modules.jmeter.system-properties; http.nonProxyHosts names hosts that are reached without it"
}

// startHint says how to start what is missing; addresses of our own compose file are known.
func startHint(l *location) string {
	local := l.host == "localhost"
	if ip := net.ParseIP(l.host); ip != nil {
		local = ip.IsLoopback()
	}
	if local {
		switch l.port {
		case "8090":
			return "start the embedded API: stacrun serve"
		case "8083":
			return "start it: docker compose up -d app-pgstac"
		case "8084":
			return "start it: docker compose up -d app-elasticsearch"
		case "8085":
			return "start it: docker compose up -d app-opensearch"
		case "8086":
			return "start it: docker compose up -d app-mongo"
		case "8087":
			return "start it: docker compose up -d app-stac-os-rs"
		case "9200":
			return "start it: docker compose up -d elasticsearch"
		case "9202":
			return "start it: docker compose up -d opensearch"
		case "5439":
			return "start it: docker compose up -d pgstac"
		case "27017":
			return "start it: docker compose up -d mongo"
		}
	}
	return "start the server, or name another with -o; settings.preflight: false skips this question"
}
