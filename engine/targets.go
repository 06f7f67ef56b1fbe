package engine

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// target is a host that the plan sends to, with the TLS settings it is spoken to with.
type target struct {
	at  location // target left empty
	tls *tls.Config
	key targetKey
	pos diag.Pos // where it was first named

	sources []netip.Addr // that connections come from in turn
}

type targetKey struct {
	scheme, host, port string
	tls                tlsKey
	spread             bool // over the addresses of the machine
}

// tlsKey tells TLS settings apart; the zero key is the default.
type tlsKey struct {
	insecure              bool
	ca, cert, key, server string
}

// useTarget gives the number of a target, entering it when it is new.
func (c *compiler) useTarget(l *location, s *config.RequestSettings, pos diag.Pos) int {
	key := targetKey{scheme: l.scheme, host: l.host, port: l.port}
	var conf *tls.Config
	if l.scheme == "https" {
		conf = c.tlsConfig(s)
		key.tls = tlsKeyOf(s)
	}
	if s.RandomSourceIP.V {
		key.spread = len(c.localAddresses(s.RandomSourceIP.Pos, "random-source-ip")) > 0
	}
	for i, t := range c.plan.targets {
		if t.key == key {
			c.sendsTo(t)
			return i
		}
	}
	at := *l
	at.target = ""
	t := &target{at: at, tls: conf, key: key, pos: pos, sources: c.sources}
	if !key.spread {
		t.sources = nil
	}
	c.plan.targets = append(c.plan.targets, t)
	c.sendsTo(t)
	return len(c.plan.targets) - 1
}

// sendsTo notes that the execution sends to a target.
func (c *compiler) sendsTo(t *target) {
	if !slices.Contains(c.x.targets, t) {
		c.x.targets = append(c.x.targets, t)
	}
}

func tlsKeyOf(s *config.RequestSettings) tlsKey {
	var key tlsKey
	if t := s.TLS; t != nil {
		key = tlsKey{insecure: !t.Verify, ca: t.CA, cert: t.Cert, key: t.Key, server: t.ServerName}
	}
	if key.server == "" && s.Host.Set() {
		key.server = serverName(s.Host.Value)
	}
	return key
}

// serverName is the name in a Host value: its port is left out.
func serverName(host string) string {
	if l, err := parseAuthority("https", host); err == nil {
		return l.host
	}
	return host
}

// tlsConfig makes the client configuration of https targets; files are read now. nil is the default:
// verify against the system's roots.
func (c *compiler) tlsConfig(s *config.RequestSettings) *tls.Config {
	key := tlsKeyOf(s)
	if key == (tlsKey{}) {
		return nil
	}
	if conf, ok := c.tls[key]; ok {
		return conf
	}
	conf := &tls.Config{ServerName: key.server, MinVersion: tls.VersionTLS12, InsecureSkipVerify: key.insecure} //nolint:gosec // switched off explicitly in the file
	c.tls[key] = conf
	if s.TLS == nil {
		return conf
	}
	pos := s.TLS.Pos
	if key.ca != "" {
		pem, err := c.opts.ReadFile(key.ca)
		if err != nil {
			c.unreadable(key.ca, pos, "tls.ca", err)
			return conf
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			c.list.Errorf("bad-certificate", pos, "tls.ca", "%q holds no certificate", key.ca).
				WithHint("name a PEM file with BEGIN CERTIFICATE lines")
		}
	}
	switch {
	case key.cert != "" && key.key != "":
		certPEM, err := c.opts.ReadFile(key.cert)
		if err != nil {
			c.unreadable(key.cert, pos, "tls.cert", err)
			return conf
		}
		keyPEM, err := c.opts.ReadFile(key.key)
		if err != nil {
			c.unreadable(key.key, pos, "tls.key", err)
			return conf
		}
		pair, err := tls.X509KeyPair(certPEM, keyPEM)
		if err != nil {
			c.list.Errorf("bad-certificate", pos, "tls.cert", "%q and %q: %s", key.cert, key.key, strings.TrimPrefix(err.Error(), "tls: ")).
				WithHint("both must be PEM files, and belong together")
			return conf
		}
		conf.Certificates = []tls.Certificate{pair}
	case key.cert != "":
		c.list.Errorf("bad-certificate", pos, "tls.cert", "tls names a cert but no key").WithHint("add key: FILE")
	case key.key != "":
		c.list.Errorf("bad-certificate", pos, "tls.key", "tls names a key but no cert").WithHint("add cert: FILE")
	}
	return conf
}
