//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

const manyUsers = `
execution: {concurrency: 100, iterations: 20, scenario: s}
scenarios:
  s:
    default-address: http://%ADDRESS%
    requests: [{url: /, label: home}]
reporting:
- {module: passfail, criteria: [generator>0]}
`

func usersOf(address string) string { return strings.Replace(manyUsers, "%ADDRESS%", address, 1) }

// limited runs the program with so few file descriptors.
func limited(t *testing.T, limit, document string, args ...string) *child {
	t.Helper()
	return startChild(t, []string{"sh", "-c", `ulimit ` + limit + ` && exec "$@"`, "sh"}, document, args...)
}

// A plan that needs more descriptors than there are is refused before the first request. Without that question it goes on with
// as many users as have room, and says whose fault the failures are.
func TestRunWithFewDescriptors(t *testing.T) {
	t.Parallel()
	s := startCounting(t, "127.0.0.1:0")
	c := limited(t, "-n 64", usersOf(s.address))
	c.end(t, 1)
	if out := c.output.String(); !strings.Contains(out, "the plan needs 132 file descriptors, this process may open 64") || !strings.Contains(out, "raise the limit (ulimit -n 132), or use at most 32 users") {
		t.Errorf("the preflight says:\n%s", out)
	}
	if n := s.read.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}

	c = limited(t, "-n 64", usersOf(s.address), "-o", "settings.preflight=false")
	sum := c.end(t, 3) // the criterion over the generator
	failures, succeeded := sum.Get("total.faults.connect").Int(), sum.Get("total.codes.200").Int()
	if failures == 0 || succeeded == 0 || failures+succeeded != 2000 || sum.Get("total.failures").Int() != failures {
		t.Errorf("codes %s, faults %s", sum.Get("total.codes"), sum.Get("total.faults"))
	}
	if s.read.Load() != succeeded || sum.Get("requests.exchanges").Int() != succeeded {
		t.Errorf("%d succeeded, %d exchanges, the server has read %d requests", succeeded, sum.Get("requests.exchanges").Int(), s.read.Load())
	}
	if !sum.Get("generator.bottleneck").Bool() || !strings.Contains(sum.Get("generator.reason").String(), "it had used up the 64 file descriptors") {
		t.Errorf("generator: %s", sum.Get("generator"))
	}
	for _, text := range []string{"no file descriptor is free", "the generator could not make"} {
		if !strings.Contains(c.output.String(), text) {
			t.Errorf("the report does not say %q:\n%s", text, c.output.String())
		}
	}
	// A machine with much else to do is a bottleneck too, so that only failures may fail this one.
	if sum := limited(t, "-S -n 64", usersOf(s.address), "-o", "reporting.0.criteria=[fail>0]").end(t, 0); sum.Get("total.codes.200").Int() != 2000 {
		t.Errorf("a soft limit was not raised: %s", sum.Get("total"))
	}
}

// A machine that has fewer local ports than the plan has users: it is warned of before, those without a port fail, and the report
// says that this is not the target's fault. It runs in a network of its own, since the range is the machine's.
func TestRunWithFewPorts(t *testing.T) {
	const child, rangeFile = "STACRUN_TEST_FEW_PORTS", "/proc/sys/net/ipv4/ip_local_port_range"
	if os.Getenv(child) == "" {
		t.Parallel()
		cmd := exec.Command(os.Args[0], "-test.run=^TestRunWithFewPorts$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		if id := os.Getuid(); id != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: id, Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil && cmd.ProcessState == nil:
			t.Skip("needs a network namespace of its own: ", err)
		case strings.Contains(string(out), "--- SKIP"):
			t.Skipf("needs a network namespace whose settings it may change: %s", out)
		case err != nil || !strings.Contains(string(out), "--- PASS"):
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	if err := raiseLoopback(); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(rangeFile, []byte("40000 40049"), 0); err != nil {
		t.Skip(err)
	}
	s := startCounting(t, "127.0.0.1:39999")
	c := startChild(t, nil, usersOf(s.address))
	sum := c.end(t, 3)
	failures, succeeded := sum.Get("total.faults.connect").Int(), sum.Get("total.codes.200").Int()
	if failures == 0 || succeeded == 0 || failures+succeeded != 2000 {
		t.Errorf("codes %s, faults %s", sum.Get("total.codes"), sum.Get("total.faults"))
	}
	if s.read.Load() != succeeded || sum.Get("requests.exchanges").Int() != succeeded {
		t.Errorf("%d succeeded, %d exchanges, the server has read %d requests", succeeded, sum.Get("requests.exchanges").Int(), s.read.Load())
	}
	if !sum.Get("generator.bottleneck").Bool() || !strings.Contains(sum.Get("generator.reason").String(), "this machine had no local port left") {
		t.Errorf("generator: %s", sum.Get("generator"))
	}
	for _, text := range []string{"100 users want a connection to 127.0.0.1:39999, but this machine has 50 ephemeral ports", "no local port or address is free", "the generator could not make"} {
		if !strings.Contains(c.output.String(), text) {
			t.Errorf("the report does not say %q:\n%s", text, c.output.String())
		}
	}
}

// raiseLoopback brings the loopback interface of a fresh network up.
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); errno != 0 {
		return errno
	}
	// It serves when a connection can be made.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = io.WriteString(c, "here\n")
			_ = c.Close()
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = bufio.NewReader(c).ReadString('\n')
	return err
}
