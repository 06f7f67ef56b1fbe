package engine

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// authKind is how a rule makes its header.
type authKind uint8

const (
	authValue     authKind = iota // value is the header's value
	authBasic                     // value is name:password, still to be encoded
	authChallenge                 // as the server asks: basic or digest
	authToken                     // a token that is fetched once per run
	authSignature                 // each request is signed
)

// authRule is what answers for the user, at one address or everywhere.
type authRule struct {
	kind   authKind
	at     *location // nil: any
	domain string    // host, or the end of one; "": any

	value          *template.Template // authValue, authBasic
	name, password *template.Template // authChallenge
	realm          string             // authChallenge: only for this realm; "": any
	token          int                // authToken: number in Plan.tokens
	signer         *signer            // authSignature
}

func (a *authRule) everywhere() bool { return a.at == nil && a.domain == "" }

// constant is the header's value when it is the same for everyone, always.
func (a *authRule) constant() (string, bool) {
	if a.kind != authValue {
		return "", false
	}
	return a.value.Constant()
}

func (a *authRule) fits(l *location) bool {
	if a.domain != "" && l.host != a.domain && !strings.HasSuffix(l.host, "."+a.domain) {
		return false
	}
	return a.at == nil || a.at.sameHost(l) && strings.HasPrefix(l.target, strings.TrimSuffix(a.at.target, "/"))
}

// authFor is the rule for the location of the request that is made, or nil. Where a server sent the user, only a rule that names
// the place counts: else any page could ask for the password.
func (r *request) authFor(u *user) *authRule {
	for _, a := range r.auth {
		if a.everywhere() && !u.elsewhere || !a.everywhere() && a.fits(u.where(r)) {
			return a
		}
	}
	return nil
}

// addAuth appends the Authorization line, and what belongs to it, to a head that ends behind its own lines.
func (r *request) addAuth(u *user, head []byte) ([]byte, error) {
	if len(r.auth) == 0 {
		return head, nil
	}
	a := r.authFor(u)
	if a == nil {
		return head, nil
	}
	switch a.kind {
	case authSignature:
		return a.signer.sign(head, u.req.Body, u.ctx.Now()), nil
	case authToken:
		head = append(append(head, "Authorization: "...), u.run.engine.tokens[a.token].header()...)
		return append(head, "\r\n"...), nil
	case authChallenge:
		known := u.answers.find(a, u.where(r))
		if known == nil {
			return head, nil // the server has not asked yet
		}
		return u.answer(r, a, known, head)
	case authBasic:
		pair, err := a.value.Text(&u.ctx)
		if err != nil {
			return head, err
		}
		return appendBasic(head, pair), nil
	}
	head = append(head, "Authorization: "...)
	at := len(head)
	head, err := a.value.Append(head, &u.ctx)
	if err != nil {
		return head, err
	}
	if bytes.ContainsAny(head[at:], "\r\n\x00") {
		return head, errors.New("the value holds a line break")
	}
	return append(head, "\r\n"...), nil
}

func appendBasic(head []byte, pair string) []byte {
	head = append(head, "Authorization: Basic "...)
	head = base64.StdEncoding.AppendEncode(head, []byte(pair))
	return append(head, "\r\n"...)
}

// answers are what a user knows of the challenges of servers, so that it need not be asked again.
type answers struct{ known []*challenge }

func (l *answers) find(a *authRule, at *location) *challenge {
	if l == nil {
		return nil
	}
	for _, c := range l.known {
		if c.rule == a && c.origin == at.origin() {
			return c
		}
	}
	return nil
}

// learn replaces what was known of a server.
func (l *answers) learn(c *challenge) {
	for i, old := range l.known {
		if old.rule == c.rule && old.origin == c.origin {
			l.known[i] = c
			return
		}
	}
	l.known = append(l.known, c)
}

// answer appends the line that answers a challenge.
func (u *user) answer(r *request, a *authRule, c *challenge, head []byte) ([]byte, error) {
	name, err := a.name.Text(&u.ctx)
	if err != nil {
		return head, err
	}
	password, err := a.password.Text(&u.ctx)
	if err != nil {
		return head, err
	}
	if !c.digest {
		return appendBasic(head, name+":"+password), nil
	}
	if strings.ContainsAny(name, "\r\n\x00") {
		return head, errors.New("the name holds a line break")
	}
	return c.append(head, name, password, u.req.Method, u.where(r).target, u.req.Body), nil
}

// challenged answers a server that asks who is there, once: it sends the request again with what the server wants. Both exchanges
// belong to the sample, and count. An answer that was refused is not repeated.
func (r *request) challenged(u *user, s *metrics.Sample) {
	if len(r.auth) == 0 || u.resp.Status != http.StatusUnauthorized || u.resp.Fault != wire.NoFault || r.static {
		return
	}
	a := r.authFor(u)
	if a == nil || a.kind != authChallenge {
		return
	}
	at := u.where(r)
	asked := chooseChallenge(wire.HeaderValues(u.resp.Head, "www-authenticate"), a.realm)
	if asked == nil {
		return
	}
	if known := u.answers.find(a, at); known != nil && !asked.stale && known.digest == asked.digest && known.nonce == asked.nonce {
		return // what was answered is wrong
	} else if known != nil && !known.digest && !asked.digest {
		return
	}
	asked.rule, asked.origin = a, at.origin()
	u.answers.learn(asked)
	conn, err := u.connectionTo(at, &r.linkTLS)
	if err != nil {
		return
	}
	line, lines, _ := bytes.Cut(u.req.Head, []byte("\r\n"))
	head := append(append([]byte{}, line...), "\r\n"...)
	lines = withoutHeaders(bytes.TrimSuffix(lines, []byte("\r\n")), "authorization")
	if r.cookies && u.jar != nil && !r.userCookies {
		lines = withoutHeaders(lines, "cookie")
		head = u.addCookies(append(head, lines...), at)
	} else {
		head = append(head, lines...)
	}
	if head, err = u.answer(r, a, asked, head); err != nil {
		u.run.engine.warnOnce("authorization: " + err.Error())
		return
	}
	r.further(u, s, conn, append(head, "\r\n"...))
}
