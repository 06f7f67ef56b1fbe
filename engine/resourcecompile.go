package engine

import (
	"net"
	"net/netip"
	"regexp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// defaultPool is how many resources of a page are fetched at once; Taurus' number.
const defaultPool = 4

// retrieve compiles the fetching of what a page embeds. Resources are asked for with the header lines of the page.
func (c *compiler) retrieve(r *request, in *config.Request, s *config.RequestSettings, sc *scope) {
	if !s.RetrieveResources.V {
		return
	}
	one := &request{
		path: r.path, label: c.label(in.Label, metrics.ResourceKind), target: -1, method: "GET", headerText: r.headerText, linkTLS: r.linkTLS,
		auth: r.auth, userAuth: r.userAuth, follow: r.follow, redirects: r.redirects, cookies: r.cookies, userCookies: r.userCookies,
		success: defaultSuccess(), wire: wire.Request{
			Method: "GET", ConnectTimeout: r.wire.ConnectTimeout, FirstByteTimeout: r.wire.FirstByteTimeout, TotalTimeout: r.wire.TotalTimeout,
			Close: r.wire.Close, Idempotent: true, KeepHead: true,
		},
	}
	if sc.cache {
		c.useCache(one)
	}
	p := &resources{one: one, pool: max(s.ResourcesPool.Or(defaultPool), 1)}
	if s.ResourcesRegex.Set() && s.ResourcesRegex.Value != "" {
		text, ok := c.constantOf(s.ResourcesRegex, "retrieve-resources-regex")
		if !ok {
			return
		}
		pattern, err := regexp.Compile("^(?:" + text + ")$")
		if err != nil {
			c.list.Errorf("bad-regexp", s.ResourcesRegex.Pos, s.ResourcesRegex.Path, "retrieve-resources-regex %q: %s", text, plainError(err)).
				WithHint(`it must match the whole URL, such as .*\.css`)
			return
		}
		p.match = pattern
	}
	r.resources = p
	r.wire.KeepHead, r.wire.KeepBody = true, true
}

// localAddresses are those that connections may come from with random-source-ip: all of the machine but loopback and link-local ones.
func (c *compiler) localAddresses(pos diag.Pos, path string) []netip.Addr {
	if c.sources == nil {
		c.sources = []netip.Addr{}
		list, _ := net.InterfaceAddrs() // without an answer there are none
		for _, a := range list {
			if network, ok := a.(*net.IPNet); ok {
				if address, ok := netip.AddrFromSlice(network.IP); ok && address.Unmap().IsGlobalUnicast() {
					c.sources = append(c.sources, address.Unmap())
				}
			}
		}
	}
	if len(c.sources) < 2 && c.firstAt(pos) {
		c.list.Warnf("no-effect", pos, path, "random-source-ip: this machine has %s to choose from", plural(len(c.sources), "address"+map[bool]string{true: "", false: "e"}[len(c.sources) == 1])).
			WithHint("give a network interface more addresses")
	}
	return c.sources
}
