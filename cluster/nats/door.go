package nats

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// door lets agents in that know the token of the run. Each may speak on its own subject alone and hear what is said to it or to all: one
// that was taken over by somebody can neither give orders nor tell figures in the name of another.
type door struct {
	token string // of agents
	own   string // of the controller's own connection
}

var _ server.Authentication = (*door)(nil)

// Check implements [server.Authentication].
func (d *door) Check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if same(o.Token, d.own) {
		return true
	}
	if !same(o.Token, d.token) || !isID(o.Name) {
		return false
	}
	c.RegisterUser(&server.User{Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{toHub + o.Name}},
		Subscribe: &server.SubjectPermission{Allow: []string{toAgent + o.Name, toAll}},
	}})
	return true
}

// same compares in a time that tells nothing of where two secrets differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// secret makes a name or token that nobody can guess, of two digits a byte.
func secret(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails (documented)
	return hex.EncodeToString(b)
}

// idBytes is the length of an agent's id: part of subjects, so only digits stand in it.
const idBytes = 8

func isID(name string) bool {
	return len(name) == 2*idBytes && strings.Trim(name, "0123456789abcdef") == ""
}
