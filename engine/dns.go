package engine

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/wire"
)

// nameService is how a plan looks names of hosts up.
type nameService struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil: the system's
	every  time.Duration                                                // 0: the default
	inTurn bool                                                         // connections go to all addresses of a name in turn
}

func newNameService(dns *config.DNS) nameService {
	n := nameService{inTurn: dns.Select == "round-robin"}
	if len(dns.Servers) > 0 {
		n.lookup = wire.NameServers(dns.Servers)
	}
	if dns.TTL.Set {
		n.every = max(dns.TTL.V, 1) // 0 is the default there
	}
	return n
}

// options adds it to those of a target.
func (n *nameService) options(o wire.TargetOptions) wire.TargetOptions {
	o.Lookup, o.ResolveEvery, o.InTurn = n.lookup, n.every, n.inTurn
	return o
}

// nameMoved tells that a name means other addresses than before.
func (e *Engine) nameMoved(host string, before, now []netip.Addr) {
	e.warnOnce(fmt.Sprintf("the name %s has moved from %s to %s; connections that are open stay where they are", host, listAddrs(before), listAddrs(now)))
}

func listAddrs(addrs []netip.Addr) string {
	const most = 8
	var texts []string
	for i, a := range addrs {
		if i == most {
			return strings.Join(texts, ", ") + fmt.Sprintf(" and %d more", len(addrs)-most)
		}
		texts = append(texts, a.Unmap().String())
	}
	return strings.Join(texts, ", ")
}
