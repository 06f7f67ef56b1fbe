package engine

import (
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// address finds out where a request goes, as far as that is known before the run.
func (c *compiler) address(r *request, in *config.Request, sc *scope, s *config.RequestSettings) {
	r.target = -1
	source := cutFragment(in.URL)
	whole := c.text(source)
	text, constant := whole.Constant()
	if constant {
		source.Value = strings.ReplaceAll(text, "${", "$${")
	}
	// The literal part in front of the first "${" decides.
	literal, _, dynamic := strings.Cut(source.Value, "${")
	if constant {
		literal, dynamic = text, false
	}
	_, rest, absolute := splitScheme(literal)
	switch {
	case absolute:
		scheme := literal[:len(literal)-len(rest)-3]
		authority, tail := splitAuthority(rest)
		if dynamic && tail == "" {
			break // the host is made at run time
		}
		l, err := parseAuthority(strings.ToLower(scheme), authority)
		if err != nil {
			c.badURL(in, err)
			return
		}
		skip := len(scheme) + 3 + len(authority)
		c.static(r, l, "", c.shifted(source, skip, constant, text), s, in.URL.Pos)
		return
	case dynamic && literal == "":
		break // the whole of it is made at run time
	case strings.HasPrefix(literal, "//"):
		c.badURL(in, errNoScheme)
		return
	default:
		if c.relative(r, in, sc, s, source, constant, text) {
			return
		}
	}
	r.url = whole
	if query := r.query; query != nil {
		c.list.Errorf("not-supported", in.URL.Pos, in.URL.Path, "a body that becomes the query string needs a url whose host is known before the run").
			WithHint("write the query into the url")
	}
	if sc.prefix != nil {
		base := *sc.prefix
		r.base = &base
		c.useTarget(&base, s, sc.address.Pos) // links that are rewritten, and relative ones, go there
	} else if sc.address.Set() {
		r.baseText = c.text(sc.address)
	}
}

// relative compiles a URL below the default-address; false: that is only known at run time.
func (c *compiler) relative(r *request, in *config.Request, sc *scope, s *config.RequestSettings, source config.Text, constant bool, text string) bool {
	if sc.addressBad {
		return true
	}
	if sc.prefix == nil && !sc.address.Set() {
		d := c.list.Errorf("relative-url", in.URL.Pos, in.URL.Path, "url %q is relative, but scenario %q has no default-address", in.URL.Value, sc.scenario.Name)
		if host, _, _ := strings.Cut(in.URL.Value, "/"); strings.Contains(host, ".") || strings.Contains(host, ":") {
			d.WithHint("write the scheme: http://%s", in.URL.Value)
		} else {
			d.WithHint("write default-address: http://HOST:PORT in the scenario, or the whole url")
		}
		return true
	}
	if sc.prefix == nil {
		return false
	}
	prefix := strings.TrimSuffix(sc.prefix.target, "/")
	if first := source.Value; first != "" && first[0] != '/' && first[0] != '?' {
		prefix += "/"
	}
	if source.Value == "" || source.Value[0] == '?' && prefix == "" {
		prefix += "/"
	}
	c.static(r, *sc.prefix, prefix, c.shifted(source, 0, constant, text), s, sc.address.Pos)
	return true
}

// shifted compiles what stands behind the first skip bytes of a URL.
func (c *compiler) shifted(source config.Text, skip int, constant bool, text string) *template.Template {
	if constant {
		return template.Literal(text[skip:])
	}
	rest := source
	rest.Value = source.Value[skip:]
	if rest.Pos.Column > 0 {
		rest.Pos.Column += skip
	}
	compiled, _ := c.beside(rest.Pos).Text(rest.Value, rest.Pos, rest.Path) // its mistakes were filed with the whole
	return compiled
}

// static compiles the request line of a request whose host is known.
func (c *compiler) static(r *request, l location, prefix string, path *template.Template, s *config.RequestSettings, named diag.Pos) {
	if text, ok := path.Constant(); ok && prefix == "" && (text == "" || text[0] == '?') {
		prefix = "/"
	}
	var b template.Builder
	b.Literal(escapeIllegal(prefix)).Add(path, template.URL)
	if r.query != nil {
		mark := "?"
		if strings.Contains(path.Source(), "?") {
			mark = "&"
		}
		b.Literal(mark).Add(r.query, template.Raw)
	}
	r.pathText = b.Template()
	l.target = ""
	r.at = l
	r.target = c.useTarget(&l, s, named)
}

var errNoScheme = errText("the scheme is missing")

type errText string

func (e errText) Error() string { return string(e) }

func (c *compiler) badURL(in *config.Request, err error) {
	d := c.list.Errorf("bad-url", in.URL.Pos, in.URL.Path, "url %q: %s", config.MaskURL(in.URL.Value), err)
	switch err {
	case errUserinfo:
		d.WithHint("leave them out and write authorization: {mechanism: basic, name: …, password: …} in the scenario")
	case errNoScheme:
		d.WithHint("write http:%s", in.URL.Value)
	default:
		d.WithHint("write scheme://host[:port]/path, or a path below default-address")
	}
}

// cutFragment drops "#…", which is never sent, unless it stands inside "${…}".
func cutFragment(t config.Text) config.Text {
	depth := 0
	for i := 0; i < len(t.Value); i++ {
		switch c := t.Value[i]; {
		case c == '{' && i > 0 && (t.Value[i-1] == '$' || depth > 0):
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '#' && depth == 0:
			t.Value = t.Value[:i]
			return t
		}
	}
	return t
}
