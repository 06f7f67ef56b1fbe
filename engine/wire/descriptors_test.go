//go:build unix

package wire

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// When descriptors run out, who finds none is told so, the others go on, and a descriptor that becomes free is used. It
// runs in a process of its own, whose limit is low.
func TestDo_descriptorsRunOut(t *testing.T) {
	t.Parallel()
	const child = "STACRUN_TEST_FEW_DESCRIPTORS"
	addr := os.Getenv(child)
	if addr == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDo_descriptorsRunOut$", "-test.v")
		cmd.Env = append(os.Environ(), child+"="+serveFixed(t, []byte(okHead+"0123456789")))
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	target := targetOf(t, addr, TargetOptions{})
	users := make([]Conn, 100)
	for i := range users {
		users[i].Target = target
	}
	var resp Response
	users[0].Do(get("/"), &resp) // the poller's own descriptors are there now
	limit := syscall.Rlimit{Cur: 60, Max: 60}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	connected, without := 0, -1
	for round := range 2 {
		n := 0
		for i := range users {
			users[i].Do(get("/"), &resp)
			switch {
			case resp.Fault == NoFault:
				n++
			case resp.Fault == FaultConnect && strings.Contains(resp.Detail, "no file descriptor") && resp.Exchanges == 0:
				without = i
			default:
				t.Fatalf("user %d: %q: %s, %d exchanges", i, resp.Fault, resp.Detail, resp.Exchanges)
			}
		}
		if n < 30 || n >= 60 || round > 0 && n != connected {
			t.Errorf("round %d: %d of 100 users had a connection", round, n)
		}
		connected = n
	}
	users[0].Close()
	users[without].Do(get("/"), &resp)
	if resp.Fault != NoFault || !resp.NewConnection {
		t.Errorf("after another had closed: %q: %s", resp.Fault, resp.Detail)
	}
	for i := range users {
		users[i].Close()
	}
}
