package engine

import (
	"strings"
	"testing"
)

// A user keeps no long buffers, whether its request went out or not.
func TestUsersKeepNoLongBodies(t *testing.T) {
	url := plainServer(t, "{}")
	long := strings.Repeat("line\\n", 50_000)
	for _, tt := range []struct{ name, header string }{
		{"sent", "fine"},
		{"not sent, for a line break in a header", "${long}"},
	} {
		u := lone(t, `
execution: [{scenario: s}]
scenarios:
  s:
    default-address: "`+url+`"
    variables: {long: "`+long+`"}
    requests: [{url: /, method: POST, body: "${long}", headers: {X-It: "`+tt.header+`"}}]
`)
		for range 3 {
			u.oneIteration()
		}
		if cap(u.body) > bodyKept || cap(u.head) > bodyKept {
			t.Errorf("%s: keeps %d bytes of body and %d of head", tt.name, cap(u.body), cap(u.head))
		}
	}
}
