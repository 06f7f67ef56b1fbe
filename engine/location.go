package engine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// location is an absolute URL in the parts that a request needs.
type location struct {
	scheme string // "http" or "https"
	host   string // lower case and ASCII, IPv6 without brackets
	port   string // never empty
	target string // path and query as they go into the request line; begins with "/" or "?"… made "/?…"
}

// authority is what the Host header says: the port is left out where it is the scheme's.
func (l *location) authority() string {
	host := l.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if l.port == schemePort(l.scheme) {
		return host
	}
	return host + ":" + l.port
}

// origin is scheme, host and port as people write them.
func (l *location) origin() string { return l.scheme + "://" + l.authority() }

func (l *location) String() string { return l.origin() + l.target }

// path is the target without its query.
func (l *location) path() string {
	path, _, _ := strings.Cut(l.target, "?")
	return path
}

func (l *location) secure() bool { return l.scheme == "https" }

func (l *location) sameHost(o *location) bool {
	return l.scheme == o.scheme && l.host == o.host && l.port == o.port
}

func schemePort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// splitScheme cuts "scheme://" off. It reports false for a relative reference.
func splitScheme(s string) (scheme, rest string, ok bool) {
	at := strings.Index(s, "://")
	if at <= 0 {
		return "", s, false
	}
	for i := range at {
		c := s[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || (s[i] < '0' || s[i] > '9') && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return "", s, false
		}
	}
	return strings.ToLower(s[:at]), s[at+3:], true
}

// splitAuthority cuts the authority off what follows "scheme://"; rest begins with "/", "?" or "#" or is empty.
func splitAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// parseLocation reads an absolute http or https URL. Bytes of path and query are kept; only what may
// not stand in a request line at all is escaped, and a fragment is dropped.
func parseLocation(s string) (location, error) {
	scheme, rest, ok := splitScheme(s)
	if !ok {
		return location{}, fmt.Errorf("%q is not an absolute URL", s)
	}
	authority, target := splitAuthority(rest)
	l, err := parseAuthority(scheme, authority)
	if err != nil {
		return location{}, err
	}
	l.target = cleanTarget(target)
	return l, nil
}

var errUserinfo = errors.New("user and password in a URL are not sent")

// names gives names of hosts the form that the DNS knows, as browsers do; unlike them it lets underscores pass.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false))

// parseAuthority reads host and port. A host with other letters than those of ASCII becomes its xn-- form (UTS 46).
func parseAuthority(scheme, authority string) (location, error) {
	l := location{scheme: scheme}
	if scheme != "http" && scheme != "https" {
		return l, fmt.Errorf("scheme %q is neither http nor https", scheme)
	}
	if strings.Contains(authority, "@") {
		return l, errUserinfo
	}
	host, port := authority, ""
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end < 0 {
			return l, fmt.Errorf("%q has no closing bracket", authority)
		}
		host, port = host[1:end], host[end+1:]
		if port != "" && port[0] != ':' {
			return l, fmt.Errorf("%q is not a host and a port", authority)
		}
		port = strings.TrimPrefix(port, ":")
	} else if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host, port = host[:i], host[i+1:]
	}
	if host == "" {
		return l, errors.New("the host is missing")
	}
	written := host
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		name, err := names.ToASCII(host)
		if err != nil {
			return l, fmt.Errorf("host %q has no form for the DNS: %w", written, err)
		}
		host = name
	}
	if i := strings.IndexFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^{|}`+"`", r) }); i >= 0 {
		return l, fmt.Errorf("host %q holds a character that no host name has", written)
	}
	if port == "" {
		port = schemePort(scheme)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return l, fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	l.host, l.port = strings.ToLower(host), port
	return l, nil
}

// cleanTarget makes a request target of path, query and fragment.
func cleanTarget(s string) string {
	s, _, _ = strings.Cut(s, "#")
	if s == "" {
		return "/"
	}
	if s[0] == '?' {
		s = "/" + s
	}
	return escapeIllegal(s)
}

// escapeIllegal percent-encodes the bytes that may not stand in a request target: spaces, controls,
// anything outside ASCII, and the few that RFC 3986 has no place for. What is escaped already stays.
func escapeIllegal(s string) string {
	for i := range len(s) {
		if illegalInTarget(s[i]) {
			return string(appendEscaped(make([]byte, 0, len(s)+16), s))
		}
	}
	return s
}

func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; illegalInTarget(c) {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func illegalInTarget(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' || c == '}'
}

// resolve reads a reference as RFC 3986 section 5.2 does, as seen from l, keeping its bytes.
func (l *location) resolve(reference string) (location, error) {
	reference = strings.TrimSpace(reference)
	if _, _, absolute := splitScheme(reference); absolute {
		return parseLocation(reference)
	}
	if scheme, ok := otherScheme(reference); ok {
		return location{}, fmt.Errorf("scheme %q is neither http nor https", scheme)
	}
	if strings.HasPrefix(reference, "//") {
		return parseLocation(l.scheme + ":" + reference)
	}
	next := *l
	reference, _, _ = strings.Cut(reference, "#")
	path, query, hasQuery := strings.Cut(reference, "?")
	switch {
	case path == "" && !hasQuery:
		return next, nil
	case path == "":
		path = l.path()
	case path[0] == '/':
		path = removeDots(path)
	default:
		base := l.path()
		path = removeDots(base[:strings.LastIndexByte(base, '/')+1] + path)
	}
	if hasQuery {
		path += "?" + query
	}
	next.target = cleanTarget(path)
	return next, nil
}

// otherScheme is the scheme of a reference that has one but no authority, such as mailto:a@b or javascript:void(0).
func otherScheme(reference string) (string, bool) {
	scheme, _, found := strings.Cut(reference, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return "", false
	}
	scheme, _, ok := splitScheme(scheme + "://")
	return scheme, ok && scheme != "http" && scheme != "https"
}

// removeDots is RFC 3986 section 5.2.4.
func removeDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	segments := strings.Split(path, "/")
	kept := make([]string, 0, len(segments))
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
			if last {
				kept = append(kept, "")
			}
		case "..":
			if len(kept) > 1 {
				kept = kept[:len(kept)-1]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "/")
}
