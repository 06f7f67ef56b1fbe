package nats

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Address is where a controller is joined, and with what. As text it is
//
//	nats://TOKEN@HOST:PORT               plain, on loopback
//	tls://TOKEN@HOST:PORT/FINGERPRINT    encrypted; the SHA-256 of the controller's certificate in hexadecimal digits
type Address struct {
	Host        string // with port
	Token       string
	Fingerprint string // "": plain
}

// String gives the address as agents take it.
func (a Address) String() string {
	u := url.URL{Scheme: "nats", Host: a.Host}
	if a.Token != "" {
		u.User = url.User(a.Token)
	}
	if a.Fingerprint != "" {
		u.Scheme, u.Path = "tls", "/"+a.Fingerprint
	}
	return u.String()
}

// ParseAddress reads an address; a plain HOST:PORT is one without token and fingerprint.
func ParseAddress(text string) (Address, error) {
	if !strings.Contains(text, "://") {
		text = "nats://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Port() == "" {
		return Address{}, fmt.Errorf("%q is no address of a controller: write nats://TOKEN@HOST:PORT, or what the controller printed", text)
	}
	a := Address{Host: u.Host, Fingerprint: strings.ToLower(strings.TrimPrefix(strings.Trim(u.Path, "/"), "sha256:"))}
	if u.User != nil {
		a.Token = u.User.Username()
	}
	return a, nil
}

// Check says what is missing for a connection.
func (a Address) Check() error {
	host, _, err := net.SplitHostPort(a.Host)
	switch {
	case err != nil:
		return fmt.Errorf("controller %q: write host and port", a.Host)
	case a.Token == "":
		return fmt.Errorf("the token of the run is missing: write it into the address (nats://TOKEN@%s), or into the variable STACRUN_TOKEN", a.Host)
	case a.Fingerprint == "" && !isLoopback(host):
		return fmt.Errorf("%s is on another machine, so the fingerprint of the controller's certificate is needed: copy the whole address that the controller printed (tls://…)", a.Host)
	case a.Fingerprint != "" && !isFingerprint(a.Fingerprint):
		return fmt.Errorf("%q is no fingerprint: it has 64 hexadecimal digits", a.Fingerprint)
	}
	return nil
}

func isFingerprint(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
