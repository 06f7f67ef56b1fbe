package engine

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Limits of a jar, so that a hostile server costs bounded memory. RFC 6265 section 6.1 asks for at
// least these; the oldest cookie makes room.
const (
	jarCookies    = 50
	jarCookieSize = 4096
)

// jar holds the cookies of one virtual user (RFC 6265). It is made when the first cookie comes.
type jar struct {
	cookies []cookie // longer paths first, then older ones first: the order of sending
	serial  int
}

type cookie struct {
	name, value  string
	domain, path string
	hostOnly     bool
	secure       bool
	persistent   bool
	expires      time.Time // valid when persistent
	serial       int
}

// set stores what one Set-Cookie line says, as the answer of host/path; section 5.2 and 5.3.
func (j *jar) set(line []byte, host, path string, secure bool, now time.Time) {
	if len(line) > jarCookieSize {
		return
	}
	pair, rest, _ := strings.Cut(string(line), ";")
	name, value, ok := strings.Cut(pair, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" {
		return
	}
	c := cookie{name: name, value: value, domain: host, path: defaultPath(path), hostOnly: true}
	maxAge, domainGiven, pathGiven := false, false, false
	for rest != "" {
		var attribute string
		attribute, rest, _ = strings.Cut(rest, ";")
		key, val, _ := strings.Cut(attribute, "=")
		val = strings.TrimSpace(val)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "expires":
			if t, ok := cookieDate(val); ok && !maxAge {
				c.persistent, c.expires = true, t
			}
		case "max-age":
			if n, err := strconv.ParseInt(val, 10, 64); err == nil {
				maxAge, c.persistent = true, true
				c.expires = now.Add(time.Duration(min(max(n, -1), 1<<31)) * time.Second)
			}
		case "domain":
			domain := strings.ToLower(strings.TrimPrefix(val, "."))
			if domain == "" {
				continue
			}
			domainGiven = true
			if !domainMatch(host, domain) || !strings.Contains(domain, ".") && domain != host {
				return
			}
			c.domain, c.hostOnly = domain, domain == host && isAddress(host)
		case "path":
			if strings.HasPrefix(val, "/") {
				c.path, pathGiven = val, true
			}
		case "secure":
			c.secure = true
		}
	}
	if c.secure && !secure {
		return // a plain connection may not set secure cookies (RFC 6265bis 5.7)
	}
	if !secure && j.shadows(&c) {
		return
	}
	// What a name promises must hold (RFC 6265bis 4.1.3), in any case of its letters.
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(lower, "__secure-") && !c.secure,
		strings.HasPrefix(lower, "__host-") && (!c.secure || domainGiven || !pathGiven || c.path != "/"):
		return
	}
	j.store(c, now)
}

// shadows reports whether a cookie of a plain answer would stand in for one that came by TLS (RFC 6265bis 5.7).
func (j *jar) shadows(c *cookie) bool {
	for i := range j.cookies {
		old := &j.cookies[i]
		if old.secure && old.name == c.name && pathMatch(c.path, old.path) && (domainMatch(c.domain, old.domain) || domainMatch(old.domain, c.domain)) {
			return true
		}
	}
	return false
}

// store replaces the cookie of the same name, domain and path; one that has expired only deletes it.
func (j *jar) store(c cookie, now time.Time) {
	j.serial++
	c.serial = j.serial
	for i := range j.cookies {
		old := &j.cookies[i]
		if old.name == c.name && old.domain == c.domain && old.path == c.path {
			c.serial = old.serial // keeps its place in the order of creation
			j.cookies = append(j.cookies[:i], j.cookies[i+1:]...)
			break
		}
	}
	if c.persistent && !c.expires.After(now) {
		return
	}
	if len(j.cookies) >= jarCookies {
		oldest := 0
		for i := range j.cookies {
			if j.cookies[i].serial < j.cookies[oldest].serial {
				oldest = i
			}
		}
		j.cookies = append(j.cookies[:oldest], j.cookies[oldest+1:]...)
	}
	at := 0
	for at < len(j.cookies) && (len(j.cookies[at].path) > len(c.path) ||
		len(j.cookies[at].path) == len(c.path) && j.cookies[at].serial < c.serial) {
		at++
	}
	j.cookies = append(j.cookies, cookie{})
	copy(j.cookies[at+1:], j.cookies[at:])
	j.cookies[at] = c
}

// add appends the value of the Cookie header for a request to dst, nothing when no cookie fits.
func (j *jar) add(dst []byte, host, path string, secure bool, now time.Time) []byte {
	if path == "" {
		path = "/"
	}
	first := true
	for i := range j.cookies {
		c := &j.cookies[i]
		if c.secure && !secure || c.persistent && !c.expires.After(now) || !pathMatch(path, c.path) {
			continue
		}
		if c.hostOnly && host != c.domain || !c.hostOnly && !domainMatch(host, c.domain) {
			continue
		}
		if !first {
			dst = append(dst, "; "...)
		}
		first = false
		dst = append(dst, c.name...)
		dst = append(dst, '=')
		dst = append(dst, c.value...)
	}
	return dst
}

// domainMatch is RFC 6265 section 5.1.3.
func domainMatch(host, domain string) bool {
	if host == domain {
		return true
	}
	return len(host) > len(domain) && host[len(host)-len(domain)-1] == '.' && strings.HasSuffix(host, domain) && !isAddress(host)
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}

// pathMatch is RFC 6265 section 5.1.4.
func pathMatch(path, cookiePath string) bool {
	if !strings.HasPrefix(path, cookiePath) {
		return false
	}
	return len(path) == len(cookiePath) || strings.HasSuffix(cookiePath, "/") || path[len(cookiePath)] == '/'
}

func defaultPath(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 || path[0] != '/' {
		return "/"
	}
	return path[:i]
}

// cookieDate reads the date forms that servers send; the RFC's own grammar is a superset of them.
func cookieDate(text string) (time.Time, bool) {
	for _, layout := range []string{
		time.RFC1123, "Mon, 02-Jan-2006 15:04:05 MST", time.RFC850, time.ANSIC, "Mon, 02-Jan-06 15:04:05 MST", time.RFC1123Z,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
