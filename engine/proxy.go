package engine

import (
	"encoding/base64"
	"net"
	"path"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// proxy is what plain HTTP requests are sent through (RFC 9112 section 3.2.2): they name the whole URL, and the connection goes to
// the proxy. It is only ever used when the file says so; the environment is not looked at.
type proxy struct {
	address string   // host:port
	line    string   // Proxy-Authorization, with its line end; "" without a name
	direct  []string // hosts that are reached without it; "*" stands for any characters
	secure  bool     // https targets would have to go through one, too
}

// proxy reads the system properties that Java knows, under modules.jmeter.
func (c *compiler) proxy() *proxy {
	p := c.file.Settings.SystemProperties
	out := &proxy{secure: p["https.proxyHost"] != ""}
	for host := range strings.SplitSeq(p["http.nonProxyHosts"], "|") {
		if host = strings.ToLower(strings.TrimSpace(host)); host != "" {
			out.direct = append(out.direct, host)
		}
	}
	if host := p["http.proxyHost"]; host != "" {
		port := p["http.proxyPort"]
		if port == "" {
			port = "80" // Java's default
		}
		out.address = net.JoinHostPort(host, port)
		if user := p["http.proxyUser"]; user != "" {
			out.line = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+p["http.proxyPass"])) + "\r\n"
		}
	}
	if out.address == "" && !out.secure {
		return nil
	}
	return out
}

// carries reports whether requests to a location go through the proxy.
func (p *proxy) carries(l *location) bool {
	if p == nil || l.scheme == "https" && !p.secure || l.scheme == "http" && p.address == "" {
		return false
	}
	for _, pattern := range p.direct {
		if fits, err := path.Match(pattern, l.host); err == nil && fits {
			return false
		}
	}
	return true
}

// origin is what stands before the path in the request line, and credentials the line for the proxy; both are empty without one.
func (p *proxy) origin(l *location) string {
	if !p.carries(l) {
		return ""
	}
	return l.origin()
}

func (p *proxy) credentials(l *location) string {
	if !p.carries(l) {
		return ""
	}
	return p.line
}

// dial is the address that is connected to for a location; "": its own.
func (p *proxy) dial(l *location) string {
	if !p.carries(l) {
		return ""
	}
	return p.address
}

// errTunnel is why an https request cannot be sent where the file asks for a proxy.
const errTunnel = errText("https through a proxy is not done yet")

// tunnelled files the mistake of a target that would need a tunnel.
func (c *compiler) tunnelled(l *location, named config.Text) {
	if l.scheme == "https" && c.plan.proxy.carries(l) {
		c.list.Errorf("not-supported", named.Pos, named.Path, "%s: %s", l.origin(), errTunnel).
			WithHint("exempt the host with http.nonProxyHosts, or remove https.proxyHost")
	}
}
