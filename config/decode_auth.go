package config

import (
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// authorization reads how requests prove who sends them.
func (d *decoder) authorization(a at) []Authorization {
	var out []Authorization
	for _, item := range a.mappings() {
		x := Authorization{
			Mechanism: orElse(d.word(item.get("mechanism")), d.mechanism(item)), Pos: item.Pos,
			URL: d.text(item.get("url")), Domain: d.text(item.get("domain")), Name: d.text(item.get("name")),
			Password: d.text(item.get("password")), Realm: d.text(item.get("realm")), Token: d.text(item.get("token")),
			ClientID: d.text(item.get("client-id")), ClientSecret: d.text(item.get("client-secret")),
			TokenURL: d.text(item.get("token-url")), Scope: d.text(item.get("scope")),
			Region: d.text(item.get("region")), Service: d.text(item.get("service")),
			AccessKey: d.text(item.get("access-key")), SecretKey: d.text(item.get("secret-key")),
			Clear: d.flag(item.get("clear")).Or(false),
		}
		if !x.Name.Set() {
			x.Name = d.text(item.get("username"))
		}
		var needed []string
		switch x.Mechanism {
		case "basic", "digest":
			needed = []string{"name", "password"}
			if item.get("username").Node != nil {
				needed = needed[1:]
			}
		case "bearer":
			needed = []string{"token"}
		case "oauth2":
			needed = []string{"client-id", "client-secret", "token-url"}
		case "sigv4":
			needed = []string{"region"}
		case "kerberos":
			d.diags.Errorf("unsupported", item.get("mechanism").Pos, item.path+".mechanism", "mechanism kerberos is not supported").
				WithHint("use basic, digest, bearer, oauth2 or sigv4")
			continue
		default:
			continue // the schema has said so
		}
		good := true
		for _, key := range needed {
			if item.get(key).Node == nil {
				good = false
				d.diags.Errorf("missing-key", item.Pos, item.path, "%q is missing in authorization by %s", key, x.Mechanism).
					WithHint("%s needs %s", x.Mechanism, strings.Join(needed, ", "))
			}
		}
		if good {
			out = append(out, x)
		}
	}
	return out
}

// mechanism guesses what an entry without one means from the keys it has.
func (d *decoder) mechanism(item at) string {
	switch {
	case item.get("token").Node != nil:
		return "bearer"
	case item.get("token-url").Node != nil, item.get("client-id").Node != nil:
		return "oauth2"
	case item.get("region").Node != nil, item.get("access-key").Node != nil:
		return "sigv4"
	}
	return "digest" // answers whichever of basic and digest the server asks for
}

// tls reads certificates and their checking.
func (d *decoder) tls(a at) *TLS {
	if a.Node == nil || a.Kind != Mapping {
		return nil
	}
	t := &TLS{Verify: d.flag(a.get("verify")).Or(true), ServerName: d.word(a.get("server-name")), Pos: a.Pos}
	t.CA = d.resolveFile(a.get("ca"), "certificate authority")
	t.Cert = d.resolveFile(a.get("cert"), "client certificate")
	t.Key = d.resolveFile(a.get("key"), "client key")
	if (a.get("cert").Node == nil) != (a.get("key").Node == nil) {
		var pos diag.Pos
		if pos = a.get("cert").pos(); !pos.Known() {
			pos = a.get("key").pos()
		}
		d.diags.Errorf("missing-key", pos, a.path, "a client certificate needs both cert and key").WithHint("name the PEM files of both")
	}
	return t
}

func (a at) pos() diag.Pos {
	if a.Node == nil {
		return diag.Pos{}
	}
	return a.Node.Pos
}
