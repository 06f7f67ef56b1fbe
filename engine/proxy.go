package engine

import (
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/stacrun/stacrun/engine/wire"
)

// proxies are what requests are sent through. Plain HTTP requests name the whole URL and go to the proxy (RFC 9112 section 3.2.2);
// https goes through a tunnel that the proxy opens (RFC 9110 section 9.3.6). They are only ever used when the file says so; the
// environment is not looked at.
type proxies struct {
	plain, secure through
	direct        []string // hosts that are reached without one; "*" stands for any characters
}

// through is one proxy.
type through struct {
	address        string // host:port; "": none
	user, password string
	line           string // Proxy-Authorization, with its line end; "" without a user
}

// javaDirect is what Java reaches without a proxy unless http.nonProxyHosts says otherwise.
const javaDirect = "localhost|127.*|[::1]"

// proxies reads the system properties that Java knows, under modules.jmeter. https uses the proxy for http unless it has one of
// its own, as JMeter's client does.
func (c *compiler) proxies() *proxies {
	p := c.file.Settings.SystemProperties
	out := &proxies{plain: readProxy(p, "http", "80"), secure: readProxy(p, "https", "443")}
	if out.secure.address == "" {
		out.secure = out.plain
	}
	if out.secure.address == "" {
		return nil
	}
	direct, written := p["http.nonProxyHosts"]
	if !written {
		direct = javaDirect
	}
	for host := range strings.SplitSeq(direct, "|") {
		host = strings.ToLower(strings.TrimSpace(host))
		if strings.HasPrefix(host, "[") {
			host = strings.Trim(host, "[]")
		}
		if host != "" {
			out.direct = append(out.direct, host)
		}
	}
	return out
}

// readProxy reads the properties that begin with a scheme. proxyPass is JMeter's name, proxyPassword Java's.
func readProxy(p map[string]string, scheme, port string) through {
	host := strings.Trim(strings.TrimSpace(p[scheme+".proxyHost"]), "[]")
	if host == "" {
		return through{}
	}
	if own := p[scheme+".proxyPort"]; own != "" {
		port = own
	}
	t := through{address: net.JoinHostPort(host, port), user: p[scheme+".proxyUser"], password: p[scheme+".proxyPass"]}
	if t.password == "" {
		t.password = p[scheme+".proxyPassword"]
	}
	if t.user != "" {
		t.line = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(t.user+":"+t.password)) + "\r\n"
	}
	return t
}

// of gives the proxy for a location; nil: none.
func (p *proxies) of(l *location) *through {
	if p == nil {
		return nil
	}
	t := &p.plain
	if l.scheme == "https" {
		t = &p.secure
	}
	if t.address == "" {
		return nil
	}
	for _, pattern := range p.direct {
		if fitsHost(pattern, l.host) {
			return nil
		}
	}
	return t
}

// fitsHost compares a host with a pattern, in which "*" stands for any characters.
func fitsHost(pattern, host string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == host
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(host) < len(first)+len(last) || !strings.HasPrefix(host, first) || !strings.HasSuffix(host, last) {
		return false
	}
	host = host[len(first) : len(host)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		at := strings.Index(host, piece)
		if at < 0 {
			return false
		}
		host = host[at+len(piece):]
	}
	return true
}

// origin is what stands before the path in the request line, and credentials the line for the proxy. Both are empty without one,
// and inside a tunnel, where the request is the target's alone.
func (p *proxies) origin(l *location) string {
	if l.scheme == "https" || p.of(l) == nil {
		return ""
	}
	return l.origin()
}

func (p *proxies) credentials(l *location) string {
	if t := p.of(l); t != nil && l.scheme != "https" {
		return t.line
	}
	return ""
}

// reach completes the options of a target with the proxy that leads to it.
func (p *proxies) reach(l *location, opts wire.TargetOptions) wire.TargetOptions {
	if t := p.of(l); t != nil {
		opts.Address = t.address
		if l.scheme == "https" {
			opts.Tunnel, opts.TunnelLines = true, t.line
		}
	}
	return opts
}

// forRequest is the same for net/http, which fetches tokens.
func (p *proxies) forRequest(r *http.Request) (*url.URL, error) {
	l, err := parseLocation(r.URL.String())
	if err != nil {
		return nil, err
	}
	t := p.of(&l)
	if t == nil {
		return nil, nil //nolint:nilnil // none
	}
	u := &url.URL{Scheme: "http", Host: t.address}
	if t.user != "" {
		u.User = url.UserPassword(t.user, t.password)
	}
	return u, nil
}
