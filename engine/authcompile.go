package engine

import (
	"encoding/base64"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// authorization compiles what answers for the user: of several entries the first that fits the URL does.
func (c *compiler) authorization(r *request, sc *scope, s *config.RequestSettings) {
	if r.userAuth {
		return // the file's own header wins
	}
	for i := range sc.auth {
		written := &sc.auth[i]
		rule, known := c.rules[written]
		if !known {
			if compiled, ok := c.authRule(written, s); ok {
				rule = &compiled
			}
			c.rules[written] = rule
		}
		if rule == nil {
			continue // its mistake was told
		}
		r.auth = append(r.auth, rule)
		if rule.kind == authChallenge {
			c.x.challenges = true
			c.x.clearAnswer = c.x.clearAnswer || sc.auth[0].Clear
			r.wire.KeepHead = true
		}
	}
}

// authRule compiles one entry. Basic and bearer are sent with every request that fits, without waiting for a challenge, as
// JMeter does for basic; an entry that names no mechanism waits for one, and answers by basic or digest.
func (c *compiler) authRule(a *config.Authorization, s *config.RequestSettings) (rule authRule, ok bool) {
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
	if a.Domain.Set() && a.Domain.Value != "" {
		text, ok := c.constantOf(a.Domain, "domain")
		if !ok {
			return rule, false
		}
		rule.domain = strings.ToLower(strings.TrimPrefix(text, "."))
	}
	var b template.Builder
	switch a.Mechanism {
	case "basic":
		name, password := c.text(a.Name), c.text(a.Password)
		n, constantName := name.Constant()
		p, constantPassword := password.Constant()
		if constantName && constantPassword {
			rule.value = template.Literal("Basic " + base64.StdEncoding.EncodeToString([]byte(n+":"+p)))
			return rule, true
		}
		b.Add(name, template.Raw).Literal(":").Add(password, template.Raw)
		rule.kind, rule.value = authBasic, b.Template()
		return rule, true
	case "bearer":
		token := c.text(a.Token)
		if text, ok := token.Constant(); ok && strings.ContainsAny(text, "\r\n\x00") {
			c.list.Errorf("bad-authorization", a.Token.Pos, a.Token.Path, "the token holds a line break").WithHint("write it in one line")
			return rule, false
		}
		rule.value = b.Literal("Bearer ").Add(token, template.Raw).Template()
		return rule, true
	case "", "digest":
		rule.kind, rule.name, rule.password = authChallenge, c.text(a.Name), c.text(a.Password)
		if a.Realm.Set() {
			rule.realm, ok = c.constantOf(a.Realm, "realm")
			return rule, ok
		}
		return rule, true
	case "oauth2":
		rule.kind = authToken
		rule.token, ok = c.tokenSource(a, s)
		return rule, ok
	case "sigv4":
		rule.kind = authSignature
		rule.signer, ok = c.signer(a)
		return rule, ok
	}
	c.list.Errorf("bad-authorization", a.Pos, "", "unknown authorization mechanism %q", a.Mechanism).WithHint("use basic, digest, bearer, oauth2 or sigv4")
	return rule, false
}

// tokenSource gives the number of a source of tokens, entering it when it is new.
func (c *compiler) tokenSource(a *config.Authorization, s *config.RequestSettings) (number int, ok bool) {
	t := &tokenSource{tls: c.tlsConfig(s), proxy: c.plan.proxy}
	good := true
	for _, part := range []struct {
		text config.Text
		what string
		to   *string
	}{{a.TokenURL, "token-url", &t.url}, {a.ClientID, "client-id", &t.id}, {a.ClientSecret, "client-secret", &t.secret}, {a.Scope, "scope", &t.scope}} {
		text, ok := c.constantOf(part.text, part.what)
		*part.to, good = text, good && ok
	}
	if !good {
		return 0, false
	}
	if _, err := parseLocation(t.url); err != nil {
		c.list.Errorf("bad-url", a.TokenURL.Pos, a.TokenURL.Path, "token-url: %s", err).WithHint("write scheme://host[:port]/path")
		return 0, false
	}
	for i, known := range c.plan.tokens {
		if *known == *t {
			return i, true
		}
	}
	c.plan.tokens = append(c.plan.tokens, t)
	return len(c.plan.tokens) - 1, true
}

// signer compiles what signs requests to Amazon's services. Keys that are not written are those of the environment, under
// the names that all of Amazon's tools read.
func (c *compiler) signer(a *config.Authorization) (s *signer, ok bool) {
	s = &signer{service: "es"}
	good := true
	for _, part := range []struct {
		text      config.Text
		what, env string
		to        *string
	}{
		{a.Region, "region", "", &s.region}, {a.Service, "service", "", &s.service},
		{a.AccessKey, "access-key", "AWS_ACCESS_KEY_ID", &s.access}, {a.SecretKey, "secret-key", "AWS_SECRET_ACCESS_KEY", &s.secret},
	} {
		if !part.text.Set() {
			if part.env == "" {
				continue
			}
			value, found := c.opts.Getenv(part.env)
			if !found || value == "" {
				c.list.Errorf("missing-key", a.Pos, "", "authorization by sigv4 has no %s, and %s is not set", part.what, part.env).
					WithHint("write %s, or set %s in the environment", part.what, part.env)
				good = false
			}
			*part.to = value
			continue
		}
		text, ok := c.constantOf(part.text, part.what)
		*part.to, good = text, good && ok
	}
	if !a.AccessKey.Set() {
		s.session, _ = c.opts.Getenv("AWS_SESSION_TOKEN")
	}
	return s, good
}
