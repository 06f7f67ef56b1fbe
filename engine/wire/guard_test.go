package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPanicsOfATargetAreTold has a look-up and a handshake that panic, each in a goroutine of the target's, and a process that is to end then.
func TestPanicsOfATargetAreTold(t *testing.T) {
	const child = "STACRUN_TEST_PANIC"
	if what := os.Getenv(child); what != "" {
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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"look-up", "dialer"} {
		t.Run(what, func(t *testing.T) {
			command := exec.Command(self, "-test.run=^TestPanicsOfATargetAreTold$")
			command.Env = append(os.Environ(), child+"="+what)
			text, err := command.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 7 || string(text) != "told: a mistake\n" {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
