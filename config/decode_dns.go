package config

import (
	"net"
	"net/netip"
	"strings"
	"time"
)

// DNS is how names of hosts are looked up.
type DNS struct {
	Servers []string             // ADDRESS:PORT of name servers, asked in this order; none: the system's resolver
	TTL     Value[time.Duration] // how long an answer is used; unset: 30 s
	Select  string               // which of several addresses a new connection goes to: "first" (default) or "round-robin"
}

func (d *decoder) dns(a at) DNS {
	out := DNS{TTL: d.duration(a.get("ttl")), Select: orElse(d.word(a.get("select")), "first")}
	for _, server := range d.textList(a.get("servers")) {
		address, ok := serverAddress(server.Value)
		if !ok {
			d.diags.Errorf("invalid-value", server.Pos, server.Path, "%q is not the address of a name server", server.Value).
				WithHint("write an IP address, with a port unless it is 53, such as 10.0.0.2 or \"127.0.0.1:5353\"")
			continue
		}
		out.Servers = append(out.Servers, address)
	}
	return out
}

// serverAddress completes an IP address by the port of DNS. A name would first have to be looked up itself.
func serverAddress(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.String(), at.Port() != 0
	}
	ip, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return "", false
	}
	return net.JoinHostPort(ip.String(), "53"), true
}
