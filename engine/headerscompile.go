package engine

import (
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
			c.list.Errorf("bad-header", h.Value.Pos, h.Value.Path, "%q is not the name of a header", h.Name).
				WithHint("names are letters, digits and hyphens, such as X-Request-Id")
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
