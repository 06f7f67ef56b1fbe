package wire

import (
	"context"
	"errors"
	"net"
	"net/netip"
)

// NameServers gives a [TargetOptions.Lookup] that asks these name servers, each ADDRESS:PORT, in order: the next one when one does
// not answer or cannot, not when it says that there is no such name. Names in the system's hosts file need no server.
func NameServers(servers []string) func(ctx context.Context, host string) ([]netip.Addr, error) {
	var resolvers []*net.Resolver
	for _, server := range servers {
		resolvers = append(resolvers, &net.Resolver{
			PreferGo: true,
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, network, server)
			},
		})
	}
	return func(ctx context.Context, host string) (addrs []netip.Addr, err error) {
		for _, r := range resolvers {
			addrs, err = r.LookupNetIP(ctx, "ip", host)
			var dns *net.DNSError
			if err == nil || ctx.Err() != nil || errors.As(err, &dns) && dns.IsNotFound {
				return addrs, err
			}
		}
		return addrs, err
	}
}
