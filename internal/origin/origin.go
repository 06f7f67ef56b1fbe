// Package origin tells requests of this machine's own programs and pages from those that a page of another origin has made a browser send.
// It knows HTTP headers only: who may do what is decided by those who listen. It imports no room.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Loopback reports whether host, a name or an address without a port, is this machine by itself. No name but localhost is: another
// page could have made it point here.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// Named is the host that a request was sent to, as the sender names it, without a port.
func Named(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return strings.Trim(r.Host, "[]")
	}
	return host
}

// Foreign names who had a browser send the request, where that is not a page of this server itself; ok is false for the server's own
// pages and for programs. A browser says which origin a request is of whenever it could change something, and newer ones whether it is of
// another site.
func Foreign(r *http.Request) (who string, ok bool) {
	if from := r.Header.Get("Origin"); from != "" {
		u, err := url.Parse(from)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host) {
			return from, true
		}
	}
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" && !reading {
		return "other sites", true
	}
	return "", false
}
