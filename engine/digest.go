package engine

import (
	"crypto/md5" //nolint:gosec // what servers ask for
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"math/rand/v2"
	"strings"
)

// challenge is what a server asks for (RFC 9110 section 11.6.1), with the state of answering it.
type challenge struct {
	rule   *authRule
	origin string

	digest bool // else basic
	realm  string
	stale  bool

	// Of Digest (RFC 7616).
	nonce, opaque string
	algorithm     string // as it was spelt; "": MD5
	session       bool   // …-sess
	qop           string // "auth", "auth-int" or ""
	userhash      bool
	newHash       func() hash.Hash
	count         uint32 // answers with this nonce
	client        string // the client's nonce of a session
}

// chooseChallenge takes the first digest that we can compute, else basic, of the challenges that servers put into one line or
// several. realm, when it is not empty, must be theirs.
func chooseChallenge(lines iter.Seq[[]byte], realm string) *challenge {
	var basic *challenge
	for line := range lines {
		for _, c := range parseChallenges(string(line)) {
			if realm != "" && c.params["realm"] != realm {
				continue
			}
			switch strings.ToLower(c.scheme) {
			case "digest":
				if d := newDigest(c.params); d != nil {
					return d
				}
			case "basic":
				if basic == nil {
					basic = &challenge{realm: c.params["realm"]}
				}
			}
		}
	}
	return basic
}

func newDigest(params map[string]string) *challenge {
	c := &challenge{
		digest: true, realm: params["realm"], nonce: params["nonce"], opaque: params["opaque"], algorithm: params["algorithm"],
		stale: strings.EqualFold(params["stale"], "true"), userhash: strings.EqualFold(params["userhash"], "true"),
	}
	name, session := strings.CutSuffix(strings.ToUpper(c.algorithm), "-SESS")
	c.session = session
	switch name {
	case "", "MD5":
		c.newHash = md5.New
	case "SHA-256":
		c.newHash = sha256.New
	case "SHA-512-256":
		c.newHash = sha512.New512_256
	default:
		return nil
	}
	if text, given := params["qop"]; given {
		for _, option := range strings.Split(text, ",") {
			switch option = strings.ToLower(strings.TrimSpace(option)); {
			case option == "auth", option == "auth-int" && c.qop == "":
				c.qop = option
			}
		}
		if c.qop == "" {
			return nil
		}
	}
	return c
}

// hashed is H(text) in hexadecimal.
func (c *challenge) hashed(parts ...string) string {
	h := c.newHash()
	_, _ = h.Write([]byte(strings.Join(parts, ":"))) // never fails (documented)
	return hex.EncodeToString(h.Sum(nil))
}

// append writes the Authorization line of RFC 7616 section 3.4. Each answer counts, as servers check that it rises.
func (c *challenge) append(head []byte, name, password, method, target string, body []byte) []byte {
	c.count++
	client := fmt.Sprintf("%016x", rand.Uint64())
	return c.line(head, name, password, method, target, body, client)
}

func (c *challenge) line(head []byte, name, password, method, target string, body []byte, client string) []byte {
	count := fmt.Sprintf("%08x", c.count)
	a1 := c.hashed(name, c.realm, password)
	if c.session {
		if c.client == "" {
			c.client = client
		}
		client = c.client
		a1 = c.hashed(a1, c.nonce, client)
	}
	a2 := c.hashed(method, target)
	if c.qop == "auth-int" {
		a2 = c.hashed(method, target, c.hashed(string(body)))
	}
	response := c.hashed(a1, c.nonce, a2)
	if c.qop != "" {
		response = c.hashed(a1, c.nonce, count, client, c.qop, a2)
	}
	if c.userhash {
		name = c.hashed(name, c.realm)
	}
	head = fmt.Appendf(head, "Authorization: Digest username=%s, realm=%s, nonce=%s, uri=%s, response=%q",
		quoted(name), quoted(c.realm), quoted(c.nonce), quoted(target), response)
	if c.algorithm != "" {
		head = append(append(head, ", algorithm="...), c.algorithm...)
	}
	if c.opaque != "" {
		head = append(append(head, ", opaque="...), quoted(c.opaque)...)
	}
	if c.qop != "" {
		head = fmt.Appendf(head, ", qop=%s, nc=%s", c.qop, count)
	}
	if c.qop != "" || c.session {
		head = fmt.Appendf(head, ", cnonce=%q", client)
	}
	if c.userhash {
		head = append(head, ", userhash=true"...)
	}
	return append(head, "\r\n"...)
}

// quoted writes a quoted-string (RFC 9110 section 5.6.4).
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// asked is one challenge as it was written.
type asked struct {
	scheme string
	params map[string]string
}

// parseChallenges reads a WWW-Authenticate line: schemes, each followed by parameters, all separated by commas.
func parseChallenges(s string) (list []asked) {
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return list
		}
		word := token(s)
		if word == "" {
			return list // not a challenge; what was read before holds
		}
		s = strings.TrimLeft(s[len(word):], " \t")
		if len(list) == 0 || !strings.HasPrefix(s, "=") {
			list = append(list, asked{scheme: word, params: map[string]string{}})
			continue
		}
		s = strings.TrimLeft(s[1:], " \t")
		var value string
		if value, s = quotedOrToken(s); s == "" && value == "" {
			return list
		}
		list[len(list)-1].params[strings.ToLower(word)] = value
	}
}

// token is the token that s begins with; token68 of other schemes is close enough.
func token(s string) string {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == ',' || c == '=' || c == '"' || c >= 0x7f {
			return s[:i]
		}
	}
	return s
}

func quotedOrToken(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		value = token(s)
		return value, strings.TrimLeft(s[len(value):], "=\"")
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}
