package engine

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// bodyKept bounds the buffers that a user keeps between requests; larger ones are shared.
const bodyKept = 64 << 10

// where is the location of the last exchange, made when something asks for it.
func (u *user) where(r *request) *location {
	if !u.located {
		u.goes(&r.at)
		if !r.static {
			u.last.target = string(u.head[u.targetFrom:u.targetTo])
		}
	}
	return &u.last
}

// goes notes where the exchange at hand goes.
func (u *user) goes(to *location) {
	u.makes()
	u.last, u.located = *to, true
}

// sendMade renders the request for this user and sends it.
func (r *request) sendMade(u *user, s *metrics.Sample) (metrics.Fault, string) {
	lines, conn, err := r.render(u)
	return r.sendRendered(u, s, lines, conn, err)
}

// sendRendered sends what was rendered; err is why it could not be.
func (r *request) sendRendered(u *user, s *metrics.Sample, lines []byte, conn Connection, err error) (metrics.Fault, string) {
	if err != nil {
		u.resp.Release()
		u.resp = wire.Response{}
		u.stampNow(s)
		u.shed()
		return metrics.FaultTemplate, err.Error()
	}
	u.exchange(conn, &u.req)
	u.stamp(s, true)
	fault, text := r.settle(u, s, &u.req, lines)
	u.shed()
	return fault, text
}

// shed gives up buffers of a request that are too long to be kept.
func (u *user) shed() {
	if cap(u.body) > bodyKept {
		body := u.body
		u.body = nil
		u.run.engine.rendered.put(&body)
	}
	if cap(u.head) > bodyKept {
		u.head = nil
	}
}

// render writes head and body into the user's buffers and fills u.req. lines are the header lines of the file.
func (r *request) render(u *user) (lines []byte, conn Connection, err error) {
	u.fresh(r)
	u.ctx.Response = nil
	if r.methodText != nil {
		text, err := r.methodText.Text(&u.ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("method: %w", err)
		}
		if u.req.Method = strings.ToUpper(text); !isToken(u.req.Method) {
			return nil, nil, fmt.Errorf("method: %q is not a method", text)
		}
		u.req.Idempotent = safeToRepeat(u.req.Method)
	}
	if err := r.renderBody(u); err != nil {
		return nil, nil, fmt.Errorf("body: %w", err)
	}
	u.head = append(append(u.head[:0], u.req.Method...), ' ')
	through := u.run.engine.plan.proxy
	if r.target >= 0 {
		u.head = append(u.head, through.origin(&r.at)...)
		u.targetFrom = len(u.head)
		if u.head, err = r.pathText.Append(u.head, &u.ctx); err != nil {
			return nil, nil, fmt.Errorf("url: %w", err)
		}
		if u.head, err = cleanRendered(u.head, u.targetFrom); err != nil {
			return nil, nil, fmt.Errorf("url: %w", err)
		}
		conn = u.connection(r.target)
	} else {
		if conn, err = r.link(u); err != nil {
			return nil, nil, fmt.Errorf("url: %w", err)
		}
		u.head = append(u.head, through.origin(&u.last)...)
		u.targetFrom = len(u.head)
		u.head = append(u.head, u.last.target...)
	}
	u.targetTo = len(u.head)
	u.head = append(u.head, " HTTP/1.1\r\nHost: "...)
	switch {
	case r.host != nil:
		at := len(u.head)
		if u.head, err = r.host.Append(u.head, &u.ctx); err != nil {
			return nil, nil, fmt.Errorf("host: %w", err)
		}
		if bytes.ContainsAny(u.head[at:], "\r\n\x00 ") {
			return nil, nil, fmt.Errorf("host: %q is not a host", u.head[at:])
		}
	case r.target >= 0:
		u.head = append(u.head, u.run.engine.targets[r.target].authority...)
	default:
		u.head = append(u.head, u.last.authority()...)
	}
	u.head = append(u.head, "\r\n"...)
	if through != nil {
		u.head = append(u.head, through.credentials(u.where(r))...)
	}
	from := len(u.head)
	if u.head, err = r.headerText.Append(u.head, &u.ctx); err != nil {
		return nil, nil, fmt.Errorf("headers: %w", err)
	}
	to := len(u.head)
	if bytes.Count(u.head[from:to], []byte("\n")) != r.headerLines || bytes.Count(u.head[from:to], []byte("\r")) != r.headerLines {
		return nil, nil, errors.New("headers: a value holds a line break")
	}
	if r.caches && u.cache.any() {
		u.head = u.addConditions(u.head, u.where(r), u.head[from:to])
	}
	if u.head, err = r.addAuth(u, u.head); err != nil {
		return nil, nil, fmt.Errorf("authorization: %w", err)
	}
	if r.cookies && u.jar != nil && !r.userCookies {
		u.head = u.addCookies(u.head, u.where(r))
	}
	u.head = appendLength(u.head, u.req.Method, len(u.req.Body))
	u.head = append(u.head, "\r\n"...)
	u.req.Head = u.head
	return u.head[from:to], conn, nil
}

// appendLength adds Content-Length where there is a body, and where a server may wait for one.
func appendLength(head []byte, method string, length int) []byte {
	if length == 0 && method != "POST" && method != "PUT" && method != "PATCH" {
		return head
	}
	head = append(head, "Content-Length: "...)
	head = strconv.AppendInt(head, int64(length), 10)
	return append(head, "\r\n"...)
}

// cleanRendered makes sure that what was rendered behind from can stand in a request line.
func cleanRendered(head []byte, from int) ([]byte, error) {
	if from == len(head) || head[from] == '?' {
		head = append(head, 0)
		copy(head[from+1:], head[from:])
		head[from] = '/'
	}
	if head[from] != '/' {
		return head, fmt.Errorf("%q does not begin with a slash", head[from:])
	}
	for i := from; i < len(head); i++ {
		if head[i] == '#' || illegalInTarget(head[i]) {
			text, _, _ := strings.Cut(string(head[from:]), "#")
			return appendEscaped(head[:from], text), nil
		}
	}
	return head, nil
}

func (r *request) renderBody(u *user) (err error) {
	u.req.Body = nil
	switch {
	case r.bodyFile != nil:
		_, u.req.Body, err = r.bodyFile.content(u)
		return err
	case r.bodyText == nil && r.parts == nil:
		return nil
	}
	largest := int(r.largest.Load())
	if largest > bodyKept && cap(u.body) < largest {
		u.body = *u.run.engine.rendered.get()
	}
	if r.parts != nil {
		u.body, err = appendParts(u.body[:0], r.parts, u)
	} else {
		u.body, err = r.bodyText.Append(u.body[:0], &u.ctx)
	}
	if err != nil {
		return err
	}
	if len(u.body) > largest {
		r.largest.Store(int64(len(u.body)))
	}
	u.req.Body = u.body
	if r.charset != nil {
		if u.req.Body, err = r.charset.NewEncoder().Bytes(u.body); err != nil {
			return fmt.Errorf("a character is not in the character set: %w", err)
		}
	}
	return nil
}

// link finds out where a URL that is made at run time goes, and leaves it in u.last. A link that an
// answer gave often names the server as it sees itself; with follow-links: rewrite only its path and query count.
func (r *request) link(u *user) (Connection, error) {
	text, err := r.url.Text(&u.ctx)
	if err != nil {
		return nil, err
	}
	base := r.base
	if base == nil && r.baseText != nil {
		address, err := r.baseText.Text(&u.ctx)
		if err != nil {
			return nil, err
		}
		l, err := parseLocation(address)
		if err != nil {
			return nil, fmt.Errorf("default-address: %w", err)
		}
		base = &l
	}
	text = strings.TrimSpace(text)
	_, _, absolute := splitScheme(text)
	switch {
	case absolute:
		if u.last, err = parseLocation(text); err != nil {
			return nil, err
		}
		if r.rewrite && base != nil && !u.last.sameHost(base) {
			u.run.rewritten(&u.last, base)
			u.last.scheme, u.last.host, u.last.port = base.scheme, base.host, base.port
		}
	case base == nil:
		return nil, fmt.Errorf("%q is relative, and there is no default-address", text)
	default:
		prefix := strings.TrimSuffix(base.target, "/")
		if text != "" && text[0] != '/' && text[0] != '?' {
			prefix += "/"
		}
		u.last = *base
		u.last.target = cleanTarget(prefix + text)
	}
	u.located = true
	return u.connectionTo(&u.last, &r.linkTLS)
}

// connectionTo gives a connection to a host that the plan may not know.
func (u *user) connectionTo(l *location, settings *tlsSettings) (Connection, error) {
	t, number := u.run.engine.targetAt(l, settings)
	if number >= 0 {
		return u.connection(number), nil
	}
	return u.extraConnection(t), nil
}
