package engine

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// never is a timeout that was switched off; the wire's zero means its own default.
const never = 1 << 20 * time.Hour

// defaultRedirects bounds a chain of redirects; JMeter's number.
const defaultRedirects = 20

// request compiles one request of a script.
func (c *compiler) request(in *config.Request, sc *scope) step {
	settings := sc.inherit(in.Settings)
	r := &request{
		path:        in.Path,
		label:       c.label(in.Label, metrics.RequestKind),
		follow:      settings.FollowRedirects.Or(true),
		redirects:   settings.MaxRedirects.Or(defaultRedirects),
		cookies:     sc.cookies,
		rewrite:     sc.rewrite,
		thinkAfter:  c.x.thinkAfter,
		userCookies: hasHeader(settings.Headers, "cookie"),
	}
	r.think = c.thinkTime(settings.ThinkTime)
	if in.Condition.Set() {
		r.condition = c.condition(in.Condition)
	}
	r.success = c.successOn(in.SuccessOn, in.Pos, in.Path)
	c.method(r, in)
	c.wireSettings(r, &settings)
	c.checks(r, in, sc)
	c.body(r, in, &settings)
	c.headers(r, &settings, in)
	c.address(r, in, sc, &settings)
	others := []config.Text{in.Body.Text}
	for i := range in.Settings.Headers {
		others = append(others, in.Settings.Headers[i].Value)
	}
	c.foreignVariables(in.URL, others...)
	c.authorization(r, sc, &settings)
	r.linkTLS = tlsSettings{key: tlsKeyOf(&settings), conf: c.tlsConfig(&settings)}
	if settings.RandomSourceIP.V {
		r.linkTLS.sources = c.localAddresses(settings.RandomSourceIP.Pos, in.Path)
	}
	c.retrieve(r, in, &settings, sc)
	c.scopes(r, sc.extractors, in.Extractors)
	c.cacheable(r, &settings, sc)
	c.finishRequest(r)
	return r
}

func (c *compiler) method(r *request, in *config.Request) {
	r.method = "GET"
	if !in.Method.Set() || in.Method.Value == "" {
		return
	}
	t := c.text(in.Method)
	text, constant := t.Constant()
	if !constant {
		r.methodText = t
		return
	}
	r.method = strings.ToUpper(text)
	if !isToken(r.method) {
		c.list.Errorf("bad-method", in.Method.Pos, in.Method.Path, "%q is not a method", text).WithHint("write GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS")
		return
	}
	known := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"}
	if guess := diag.Suggest(r.method, known); guess != "" && guess != r.method {
		c.list.Errorf("bad-method", in.Method.Pos, in.Method.Path, "unknown method %q", text).WithHint("did you mean %q?", guess)
	}
	if r.method == http.MethodConnect {
		c.list.Errorf("bad-method", in.Method.Pos, in.Method.Path, "CONNECT opens a tunnel and is not a request that can be measured").
			WithHint("name the target itself in url")
	}
}

func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// isSafe reports whether RFC 9110 says that the method changes nothing.
func isSafe(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// safeToRepeat reports whether RFC 9110 calls the method idempotent.
func safeToRepeat(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return false
}

func (c *compiler) wireSettings(r *request, s *config.RequestSettings) {
	timeout := func(v config.Value[time.Duration], fallback time.Duration) time.Duration {
		if !v.Set {
			return fallback
		}
		if v.V == 0 {
			return never
		}
		return v.V
	}
	r.wire = wire.Request{
		Method:           r.method,
		ConnectTimeout:   timeout(s.Timeouts.Connect, defaultTimeout),
		FirstByteTimeout: timeout(s.Timeouts.FirstByte, 0),
		TotalTimeout:     timeout(s.Timeouts.Total, defaultTimeout),
		MaxBody:          int(s.MaxBody.Or(0)),
		Close:            !s.KeepAlive.Or(true),
		Idempotent:       safeToRepeat(r.method),
	}
}

// successOn reads the statuses that count as success. Those that are named count besides 2xx and 3xx ("a 404 is no
// failure here"), unless one of 2xx and 3xx is among them: then they are all ("it must be a 201").
func (c *compiler) successOn(patterns []string, pos diag.Pos, path string) *statusSet {
	set := new(statusSet)
	for _, p := range patterns {
		if !set.addPattern(p) {
			c.list.Errorf("bad-status", pos, path, "%q is not a status pattern", p).WithHint("write a code such as 404, or a class such as 2xx")
		}
	}
	usual := defaultSuccess()
	if !set.meets(usual) {
		set.add(usual)
	}
	return set
}

// inlineBody is up to how many bytes a body is sent in one piece with its head.
const inlineBody = 16 << 10

// tlsSettings are what a host that comes up at run time is spoken to with.
type tlsSettings struct {
	key     tlsKey
	conf    *tls.Config
	sources []netip.Addr // that connections come from in turn; nil: as the system chooses
}

// finishRequest decides what must be kept of the answer, and renders the request now if it is the same each time.
func (c *compiler) finishRequest(r *request) {
	if r.follow || r.cookies {
		r.wire.KeepHead = true
	}
	if r.target < 0 || r.methodText != nil || r.parts != nil || r.bodyFile != nil || len(r.auth) > 0 && !r.auth[0].everywhere() {
		return
	}
	target, ok1 := r.pathText.Constant()
	lines, ok2 := r.headerText.Constant()
	if !ok1 || !ok2 {
		return
	}
	host := r.at.authority()
	if r.host != nil {
		if host, ok1 = r.host.Constant(); !ok1 {
			return
		}
	}
	var body []byte
	if r.bodyText != nil {
		text, ok := r.bodyText.Constant()
		if !ok || r.charset != nil {
			return
		}
		body = []byte(text)
	}
	through := c.plan.proxy
	head := []byte(r.method + " " + through.origin(&r.at) + cleanTarget(target) + " HTTP/1.1\r\nHost: " + host + "\r\n" + through.credentials(&r.at))
	r.staticFrom = len(head)
	head = append(head, lines...)
	r.staticTo = len(head)
	if len(r.auth) > 0 {
		text, ok := r.auth[0].constant()
		if !ok {
			return
		}
		head = append(head, "Authorization: "+text+"\r\n"...)
	}
	head = append(appendLength(head, r.method, len(body)), "\r\n"...)
	r.at.target = cleanTarget(target)
	r.static, r.staticBody = true, body
	r.wire.Head = head
	if len(body) <= inlineBody {
		r.wire.Head = append(head, body...)
	} else {
		r.wire.Body = body
	}
}
