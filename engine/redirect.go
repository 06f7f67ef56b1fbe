package engine

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirect follows a chain of redirects (RFC 9110 section 15.4): 303 always becomes GET (HEAD stays), 301 and
// 302 turn POST into GET as browsers do, 307 and 308 repeat method and body. The location's bytes are
// kept. Authorization and cookies of the file are not sent to another origin, but for those of a rule that names it. All exchanges belong to
// one sample; its status is the last one's.
func (r *request) redirect(u *user, s *metrics.Sample, sent *wire.Request, lines []byte) (metrics.Fault, string) {
	at := *u.where(r)
	first := at
	method := sent.Method
	body := sent.Body
	if r.static {
		body = r.staticBody
	}
	astray := u.elsewhere // a resource of another origin: what belongs to the file's own was left out already
	// The buffers that the first request was made in are used again.
	lines = slices.Clone(lines)
	for hop := 0; isRedirect(u.resp.Status) && u.resp.Fault == wire.NoFault; hop++ {
		value, ok := wire.HeaderValue(u.resp.Head, "location")
		if !ok || len(value) == 0 {
			break // an answer like any other
		}
		if hop >= r.redirects {
			return metrics.FaultProtocol, fmt.Sprintf("more than %d redirects, the last one to %s", r.redirects, value)
		}
		next, err := at.resolve(string(value))
		if err != nil {
			return metrics.FaultProtocol, "redirect: " + err.Error()
		}
		switch status := u.resp.Status; {
		case status == http.StatusSeeOther && method != "HEAD", method == "POST" && (status == http.StatusMovedPermanently || status == http.StatusFound):
			method, body = "GET", nil
			lines = withoutHeaders(lines, "content-type", "content-encoding", "content-language", "content-location")
		}
		if r.keepParts {
			u.parts.redirects = append(u.parts.redirects, u.keepPart(r, u.parts))
		}
		conn, err := u.connectionTo(&next, &r.linkTLS)
		if err != nil {
			return metrics.FaultProtocol, "redirect: " + err.Error()
		}
		if !u.gate.open() && u.run.engine.hard.closed.Load() {
			return metrics.FaultInterrupted, "interrupted"
		}
		own := lines
		if !next.sameHost(&first) {
			own = withoutHeaders(lines, "authorization", "cookie")
		}
		u.goes(&next)
		u.elsewhere = astray || !next.sameHost(&first)
		u.fresh(r)
		u.req.Method, u.req.Body, u.req.Idempotent = method, body, safeToRepeat(method)
		u.head = append(append(u.head[:0], method...), ' ')
		through := u.run.engine.plan.proxy
		u.head = append(append(u.head, through.origin(&next)...), next.target...)
		u.head = append(u.head, " HTTP/1.1\r\nHost: "...)
		if r.host != nil && next.sameHost(&first) {
			if u.head, err = r.host.Append(u.head, &u.ctx); err != nil {
				return metrics.FaultTemplate, "host: " + err.Error()
			}
		} else {
			u.head = append(u.head, next.authority()...)
		}
		u.head = append(u.head, "\r\n"...)
		u.head = append(append(u.head, through.credentials(&next)...), own...)
		if u.head, err = r.addAuth(u, u.head); err != nil {
			return metrics.FaultTemplate, "authorization: " + err.Error()
		}
		if r.cookies && u.jar != nil && !r.userCookies {
			u.head = u.addCookies(u.head, &next)
		}
		u.head = append(appendLength(u.head, method, len(body)), "\r\n"...)
		at = next
		r.further(u, s, conn, u.head)
		r.challenged(u, s)
	}
	return faultOf(u.resp.Fault), u.resp.Detail
}

// further makes one more exchange of the same sample: the user's request with a new head.
func (r *request) further(u *user, s *metrics.Sample, conn Connection, head []byte) {
	if u.trace != nil {
		u.closeTrace(s)
	}
	u.req.Head = head
	u.exchange(conn, &u.req)
	u.stamp(s, false)
	u.sentHead = u.req.Head
	if u.trace != nil {
		u.traced(r, &u.req)
		u.trace.Redirect = true
	}
	if r.cookies && hasSetCookie(u.resp.Head) {
		u.keepCookies(u.where(r))
	}
}

// withoutHeaders copies header lines but for those of the given lower-case names.
func withoutHeaders(lines []byte, names ...string) []byte {
	kept := make([]byte, 0, len(lines))
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n') + 1
		if end == 0 {
			end = len(lines)
		}
		line := lines[:end]
		lines = lines[end:]
		name, _, _ := bytes.Cut(line, []byte(":"))
		if !slices.Contains(names, string(bytes.ToLower(name))) {
			kept = append(kept, line...)
		}
	}
	return kept
}

// hasSetCookie is a quick look before the head is walked: nearly all servers write one of two spellings.
func hasSetCookie(head []byte) bool {
	return bytes.Contains(head, []byte("ookie:")) || bytes.Contains(head, []byte("OOKIE:"))
}

// keepCookies takes the cookies of the last answer into the user's jar.
func (u *user) keepCookies(from *location) {
	path := from.path()
	for value := range wire.HeaderValues(u.resp.Head, "set-cookie") {
		if u.jar == nil {
			u.jar = new(jar)
		}
		u.jar.set(value, from.host, path, from.secure(), u.ctx.Now())
	}
}

// addCookies appends the Cookie line for a location, nothing when no cookie fits.
func (u *user) addCookies(head []byte, to *location) []byte {
	from := len(head)
	head = append(head, "Cookie: "...)
	filled := len(head)
	head = u.jar.add(head, to.host, to.path(), to.secure(), u.ctx.Now())
	if len(head) == filled {
		return head[:from]
	}
	return append(head, "\r\n"...)
}
