package wire

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/child"
)

// TestPanicsOfATargetAreTold has a look-up and a handshake that panic, each in a goroutine of the target's, and a process that is to end then.
func TestPanicsOfATargetAreTold(t *testing.T) {
	if what := child.As(); what != "" {
		server := httptest.NewTLSServer(nil)
		host, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "https://"), ":")
		began := time.Now()
		o := TargetOptions{Clock: func() int64 { return int64(time.Since(began)) }, Dying: func(mistake any) {
			fmt.Fprintln(os.Stderr, "told:", mistake)
			os.Exit(7)
		}}
		if what == "look-up" {
			host = "somewhere.example"
			o.Lookup = func(context.Context, string) ([]netip.Addr, error) { panic("a mistake") }
		} else {
			o.TLS = &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(tls.ConnectionState) error { panic("a mistake") }}
		}
		c := &Conn{Target: NewTarget("https", host, port, o)}
		var resp Response
		c.Do(&Request{Method: "GET", Head: []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}, &resp)
		os.Exit(0)
	}
	for _, what := range []string{"look-up", "dialer"} {
		t.Run(what, func(t *testing.T) {
			if text, code := child.Run(t, what); code != 7 || text != "told: a mistake\n" {
				t.Errorf("exit code %d: %s", code, text)
			}
		})
	}
}
