package engine

import (
	"encoding/base64"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

func hasHeader(list []config.Header, name string) bool {
	for _, h := range list {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return false
}

// headers compiles the header lines that stand behind the Host line: User-Agent unless one is given,
// then those of the file in written order, then Content-Type. Accept-Encoding is only sent when the file says
// so, since a decoded body costs about as much as a whole request. Content-Length, Connection, cookies and
// authorization are added when the request is made.
func (c *compiler) headers(r *request, s *config.RequestSettings, in *config.Request) {
	var b template.Builder
	if !hasHeader(s.Headers, "user-agent") {
		b.Literal("User-Agent: " + c.plan.userAgent + "\r\n")
		r.headerLines++
	}
	for _, h := range s.Headers {
		if !isToken(h.Name) {
			c.list.Errorf("bad-header", h.Value.Pos, h.Value.Path, "%q is not the name of a header", h.Name)
			continue
		}
		switch strings.ToLower(h.Name) {
		case "host":
			if !s.Host.Set() {
				r.host = c.text(h.Value)
			}
			continue
		case "content-length", "transfer-encoding":
			c.list.Warnf("header-ignored", h.Value.Pos, h.Value.Path, "header %s is computed from the body; what is written here is not sent", h.Name)
			continue
		case "connection":
			if strings.EqualFold(strings.TrimSpace(h.Value.Value), "close") {
				r.wire.Close = true
			}
			continue // keep-alive is HTTP/1.1's default
		case "authorization":
			r.userAuth = true
		}
		t := c.text(h.Value)
		if text, ok := t.Constant(); ok && strings.ContainsAny(strings.TrimRight(text, "\r\n"), "\r\n\x00") {
			c.list.Errorf("bad-header", h.Value.Pos, h.Value.Path, "the value of header %s holds a line break", h.Name).
				WithHint("write it in one line")
			continue
		} else if ok {
			t = template.Literal(strings.TrimSpace(text))
		}
		b.Literal(h.Name+": ").Add(t, template.Raw).Literal("\r\n")
		r.headerLines++
	}
	if in.Body.ContentType != "" && !hasHeader(s.Headers, "content-type") {
		contentType := in.Body.ContentType
		if r.boundary != "" {
			contentType = "multipart/form-data; boundary=" + r.boundary
		}
		b.Literal("Content-Type: " + contentType + "\r\n")
		r.headerLines++
	} else if r.boundary != "" && !hasHeader(s.Headers, "content-type") {
		b.Literal("Content-Type: multipart/form-data; boundary=" + r.boundary + "\r\n")
		r.headerLines++
	}
	if r.wire.Close {
		b.Literal("Connection: close\r\n")
		r.headerLines++
	}
	r.headerText = b.Template()
	if s.Host.Set() && s.Host.Value != "" {
		if text, ok := c.constantOf(s.Host, "host"); ok {
			r.host = template.Literal(text)
		}
	}
}

// authorization compiles what answers for the user: the first entry that fits the URL.
func (c *compiler) authorization(r *request, in *config.Request, sc *scope, s *config.RequestSettings) {
	if r.userAuth {
		return // the file's own header wins
	}
	for i := range sc.auth {
		rule, ok := c.authRule(&sc.auth[i])
		if ok {
			r.auth = append(r.auth, rule)
		}
	}
}

// authRule compiles one entry. Basic and bearer are sent with every request that fits, without waiting
// for a challenge, as JMeter does for basic.
func (c *compiler) authRule(a *config.Authorization) (authRule, bool) {
	var rule authRule
	if a.URL.Set() && a.URL.Value != "" {
		text, ok := c.constantOf(a.URL, "url")
		if !ok {
			return rule, false
		}
		l, err := parseLocation(text)
		if err != nil {
			c.list.Errorf("bad-url", a.URL.Pos, a.URL.Path, "authorization url %q: %s", text, err).WithHint("write scheme://host[:port]/path")
			return rule, false
		}
		rule.at = &l
	}
	var b template.Builder
	switch mechanism := strings.ToLower(a.Mechanism); mechanism {
	case "", "basic":
		name, password := c.text(a.Name), c.text(a.Password)
		n, constantName := name.Constant()
		p, constantPassword := password.Constant()
		if constantName && constantPassword {
			rule.value = template.Literal("Basic " + base64.StdEncoding.EncodeToString([]byte(n+":"+p)))
			return rule, true
		}
		b.Add(name, template.Raw).Literal(":").Add(password, template.Raw)
		rule.value, rule.basic = b.Template(), true
		return rule, true
	case "bearer":
		token := c.text(a.Token)
		if text, ok := token.Constant(); ok && strings.ContainsAny(text, "\r\n\x00") {
			c.list.Errorf("bad-authorization", a.Token.Pos, a.Token.Path, "the token holds a line break").WithHint("write it in one line")
			return rule, false
		}
		rule.value = b.Literal("Bearer ").Add(token, template.Raw).Template()
		return rule, true
	case "digest", "oauth2", "sigv4", "kerberos":
		d := c.list.Errorf("not-supported", a.Pos, "", "authorization mechanism %q cannot be run yet", mechanism)
		if mechanism == "oauth2" {
			d.WithHint("fetch the token in prepare, extract it into a variable and use mechanism: bearer with token: ${token}")
		} else {
			d.WithHint("use basic or bearer")
		}
	default:
		c.list.Errorf("bad-authorization", a.Pos, "", "unknown authorization mechanism %q", mechanism).WithHint("use basic or bearer")
	}
	return rule, false
}
