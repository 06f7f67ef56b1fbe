package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// defaultTimeout is Taurus' default for connecting, and separately for the whole of an exchange.
const defaultTimeout = 30 * time.Second

// scope is what a request inherits: the settings of its scenario, or of the included scenario that it stands in.
type scope struct {
	scenario   *config.Scenario
	address    config.Text
	prefix     *location // default-address when it is constant and good
	addressBad bool      // its mistake has been reported
	settings   config.RequestSettings
	cookies    bool
	cache      bool // store-cache
	auth       []config.Authorization
	asserts    []config.Assert
	extractors []config.Extractor
	rewrite    bool     // follow-links
	chain      []string // names of the scenarios that lead here, this one last
}

// scope makes the scope of a scenario that an execution names.
func (c *compiler) scope(s *config.Scenario) *scope {
	sc := &scope{
		scenario:   s,
		address:    s.DefaultAddress,
		settings:   s.Defaults,
		cookies:    s.StoreCookie,
		cache:      s.StoreCache,
		auth:       s.Authorization,
		asserts:    s.Asserts,
		extractors: s.Extractors,
		rewrite:    s.FollowLinks != "as-given",
		chain:      []string{s.Name},
	}
	c.checkAddress(sc)
	return sc
}

// include makes the scope of a scenario that stands in another one's place (Taurus e.3): its own
// settings hold, and what it leaves out falls back to defaults, not to the outer scenario. Only a missing
// default-address lets the outer one apply, and outer headers win over its own.
func (c *compiler) include(outer *scope, s *config.Scenario) *scope {
	sc := c.scopeWithout(s)
	if !s.DefaultAddress.Set() {
		sc.address, sc.prefix, sc.addressBad = outer.address, outer.prefix, outer.addressBad
		sc.rewrite = outer.rewrite
	} else {
		c.checkAddress(sc)
	}
	sc.settings.Headers = mergeHeaders(s.Defaults.Headers, outer.settings.Headers)
	sc.chain = append(slices.Clone(outer.chain), s.Name)
	return sc
}

func (c *compiler) scopeWithout(s *config.Scenario) *scope {
	return &scope{
		scenario: s, address: s.DefaultAddress, settings: s.Defaults, cookies: s.StoreCookie, cache: s.StoreCache, auth: s.Authorization,
		asserts: s.Asserts, extractors: s.Extractors, rewrite: s.FollowLinks != "as-given",
	}
}

// mergeHeaders lays the headers of over upon base: names are compared without case, a replaced header
// keeps its place, and an unset one removes what was inherited.
func mergeHeaders(base, over []config.Header) []config.Header {
	merged := slices.Clone(base)
	for i, h := range over {
		at := slices.IndexFunc(merged, func(m config.Header) bool { return strings.EqualFold(m.Name, h.Name) })
		if at >= 0 && !slices.ContainsFunc(over[:i], func(m config.Header) bool { return strings.EqualFold(m.Name, h.Name) }) {
			merged = slices.DeleteFunc(merged, func(m config.Header) bool { return strings.EqualFold(m.Name, h.Name) })
			merged = slices.Insert(merged, min(at, len(merged)), h)
			continue
		}
		merged = append(merged, h)
	}
	return slices.DeleteFunc(merged, func(m config.Header) bool { return m.Unset })
}

// inherit lays the settings of a request over those of its scope.
func (sc *scope) inherit(own config.RequestSettings) config.RequestSettings {
	base := sc.settings
	base.Headers = mergeHeaders(base.Headers, own.Headers)
	take(&base.ThinkTime, own.ThinkTime)
	take(&base.Timeouts.Connect, own.Timeouts.Connect)
	take(&base.Timeouts.FirstByte, own.Timeouts.FirstByte)
	take(&base.Timeouts.Total, own.Timeouts.Total)
	take(&base.KeepAlive, own.KeepAlive)
	take(&base.FollowRedirects, own.FollowRedirects)
	take(&base.MaxRedirects, own.MaxRedirects)
	take(&base.RandomSourceIP, own.RandomSourceIP)
	take(&base.RetrieveResources, own.RetrieveResources)
	take(&base.MaxBody, own.MaxBody)
	if own.ContentEncoding.Set() {
		base.ContentEncoding = own.ContentEncoding
	}
	if own.Host.Set() {
		base.Host = own.Host
	}
	if own.TLS != nil {
		base.TLS = own.TLS
	}
	return base
}

func take[T any](to *config.Value[T], from config.Value[T]) {
	if from.Set {
		*to = from
	}
}

// checkAddress reads a default-address that is known before the run.
func (c *compiler) checkAddress(sc *scope) {
	if !sc.address.Set() || sc.address.Value == "" {
		return
	}
	t := c.text(sc.address)
	text, constant := t.Constant()
	if !constant {
		return
	}
	l, err := parseLocation(text)
	if err != nil {
		sc.addressBad = true
		d := c.list.Errorf("bad-address", sc.address.Pos, sc.address.Path, "default-address %q: %s", config.MaskURL(text), err)
		switch {
		case err == errUserinfo:
			d.WithHint("leave them out and write authorization: {mechanism: basic, name: …, password: …}")
		case !strings.Contains(text, "://"):
			d.WithHint("write the scheme too: http://%s", text)
		default:
			d.WithHint("write scheme://host[:port], such as http://127.0.0.1:8080")
		}
		return
	}
	if i := strings.IndexByte(l.target, '?'); i >= 0 {
		sc.addressBad = true
		c.list.Errorf("bad-address", sc.address.Pos, sc.address.Path, "default-address %q has a query", text).
			WithHint("write the query in the url of the requests")
		return
	}
	sc.prefix = &l
	if path := strings.TrimSuffix(l.target, "/"); path != "" && c.firstAt(sc.address.Pos) {
		c.list.Warnf("address-path", sc.address.Pos, sc.address.Path,
			"default-address has the path %q; it is put before relative urls, so that \"/x\" becomes %q (Taurus on JMeter drops it)", path, l.origin()+path+"/x")
	}
}

// text compiles a text, and files its diagnostics.
func (c *compiler) text(t config.Text) *template.Template {
	compiled, list := c.beside(t.Pos).Text(t.Value, t.Pos, t.Path)
	c.list.Add(list...)
	return compiled
}

// constantOf is the text of a template that must be known before the run.
func (c *compiler) constantOf(t config.Text, what string) (string, bool) {
	text, ok := c.text(t).Constant()
	if !ok {
		c.list.Errorf("not-constant", t.Pos, t.Path, "%s %q differs from user to user, but must be known before the run", what, t.Value).
			WithHint("write the value itself, or ${__P(name,default)} or ${__env(NAME)}")
	}
	return text, ok
}

// firstAt reports whether nothing has been warned about at a place: what a scenario says once is inherited by many requests.
func (c *compiler) firstAt(pos diag.Pos) bool {
	if c.warned[pos] {
		return false
	}
	c.warned[pos] = true
	return true
}
