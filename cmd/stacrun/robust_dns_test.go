package main

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers every question for an address over UDP, with what it was told last.
type nameServer struct {
	address string
	mu      sync.Mutex
	answer  []netip.Addr // guarded by mu
	asked   int          // guarded by mu: questions for IPv4 addresses
}

func startNameServer(t *testing.T, answer ...string) *nameServer {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{address: socket.LocalAddr().String()}
	s.say(answer...)
	var serving sync.WaitGroup
	serving.Go(func() {
		packet := make([]byte, 4096)
		for {
			n, from, err := socket.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply, err := s.reply(packet[:n]); err == nil {
				_, _ = socket.WriteTo(reply, from)
			}
		}
	})
	t.Cleanup(func() {
		_ = socket.Close()
		serving.Wait()
	})
	return s
}

func (s *nameServer) say(answer ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = nil
	for _, text := range answer {
		s.answer = append(s.answer, netip.MustParseAddr(text))
	}
}

func (s *nameServer) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *nameServer) reply(packet []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil || len(m.Questions) != 1 {
		return nil, fmt.Errorf("not one question: %w", err)
	}
	q := m.Questions[0]
	out := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: m.ID, Response: true, RecursionDesired: m.RecursionDesired, RecursionAvailable: true},
		Questions: m.Questions,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Type == dnsmessage.TypeA {
		s.asked++
		for _, a := range s.answer {
			out.Answers = append(out.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1},
				Body:   &dnsmessage.AResource{A: a.As4()},
			})
		}
	}
	return out.Pack()
}

// twoHomes are servers with the same port at two addresses of this machine.
func twoHomes(t *testing.T) (one, other *counting, port string) {
	t.Helper()
	for range 20 {
		one = startCounting(t, "127.0.0.1:0")
		_, port, _ = net.SplitHostPort(one.address)
		l, err := net.Listen("tcp", "127.0.0.2:"+port)
		if err == nil {
			_ = l.Close()
			return one, startCounting(t, "127.0.0.2:"+port), port
		}
	}
	t.Skip("no port is free at 127.0.0.1 and 127.0.0.2 (not all systems have the latter)")
	return nil, nil, ""
}

const namedTarget = `
execution: {concurrency: 4, hold-for: 10m, throughput: 400, scenario: s}
scenarios:
  s:
    default-address: http://moving.test:%s
    keepalive: %v
    requests: [{url: /, label: home}]
settings:
  dns: {servers: [%q], ttl: %s, select: %s}
`

// The name of the target comes to mean another address in mid-run. New connections follow once the answer is old.
func TestRunFollowsAMovedName(t *testing.T) {
	t.Parallel()
	old, now, port := twoHomes(t)
	names := startNameServer(t, "127.0.0.1")
	c := startControlled(t, fmt.Sprintf(namedTarget, port, false, names.address, "0", "first"))
	until(t, "requests at the old address", func() bool { return old.read.Load() >= 50 })
	if n := now.read.Load(); n != 0 {
		t.Errorf("%d requests went to the new address before the name had moved", n)
	}
	names.say("127.0.0.2")
	until(t, "requests at the new address", func() bool { return now.read.Load() >= 50 })
	// Look-ups that were under way when it moved are done by now; every connection begins with one.
	left := old.read.Load()
	until(t, "more of them", func() bool { return now.read.Load() >= 150 })
	if n := old.read.Load(); n != left {
		t.Errorf("%d requests went to the old address long after the move", n-left)
	}
	sum := c.stop(t)
	if n := sum.Get("total.failures").Int(); n != 0 {
		t.Errorf("%d failures: %s", n, sum.Get("total.faults"))
	}
	if all := old.read.Load() + now.read.Load(); sum.Get("requests.exchanges").Int() != all {
		t.Errorf("%d exchanges, the servers have read %d requests", sum.Get("requests.exchanges").Int(), all)
	}
	if text := "the name moving.test has moved from 127.0.0.1 to 127.0.0.2"; !strings.Contains(c.output.String(), text) || !strings.Contains(sum.Raw, text) {
		t.Errorf("nothing tells of the move:\n%s", c.output.String())
	}
}

// Open connections stay where they are, and an answer that holds for long is asked for again at once when its address is gone.
func TestRunFollowsAMovedNameWhenItMust(t *testing.T) {
	t.Parallel()
	old, now, port := twoHomes(t)
	names := startNameServer(t, "127.0.0.1")
	c := startControlled(t, fmt.Sprintf(namedTarget, port, true, names.address, "1h", "first"))
	until(t, "requests at the old address", func() bool { return old.read.Load() >= 50 })
	names.say("127.0.0.2")
	until(t, "more requests", func() bool { return old.read.Load() >= 150 })
	if n := now.read.Load(); n != 0 {
		t.Errorf("%d requests left connections that were open", n)
	}
	// The system would reset a connection that the server has not taken on when it stops.
	until(t, "a connection of each user", func() bool { return old.connections() == 4 })
	asked := names.questions()
	old.stop(false)
	until(t, "requests at the new address", func() bool { return now.read.Load() >= 50 })
	sum := c.stop(t)
	if refused, users := sum.Get("total.faults.connect-refused").Int(), int64(4); refused != sum.Get("total.failures").Int() || refused > 2*users {
		t.Errorf("faults %s, want no more than each user's first attempts at the address that is gone", sum.Get("total.faults"))
	}
	if more := names.questions() - asked; more == 0 || more > 8 {
		t.Errorf("%d questions after the address had gone", more)
	}
	if all := old.read.Load() + now.read.Load(); sum.Get("requests.exchanges").Int() != all {
		t.Errorf("%d exchanges, the servers have read %d requests", sum.Get("requests.exchanges").Int(), all)
	}
	if !strings.Contains(sum.Raw, "has moved from 127.0.0.1 to 127.0.0.2") {
		t.Error("nothing tells of the move")
	}
}

// A name with several addresses can have its connections go to each in turn, and what one of them refuses goes to the next.
func TestRunSpreadsOverAddresses(t *testing.T) {
	t.Parallel()
	one, other, port := twoHomes(t)
	names := startNameServer(t, "127.0.0.1", "127.0.0.2")
	c := startControlled(t, fmt.Sprintf(namedTarget, port, false, names.address, "1h", "round-robin"), "-o", "settings.preflight=false")
	until(t, "requests", func() bool { return one.read.Load()+other.read.Load() >= 200 })
	a, b := one.read.Load(), other.read.Load()
	if a < b-8 || a > b+8 { // those under way
		t.Errorf("%d and %d requests, want halves", a, b)
	}
	one.stop(false)
	until(t, "requests at the address that is left", func() bool { return other.read.Load() >= b+200 })
	sum := c.stop(t)
	// What one address had accepted and then did not serve is lost; all else went on.
	if n := sum.Get("total.failures").Int(); n > 4 {
		t.Errorf("%d failures: %s", n, sum.Get("total.faults"))
	}
	if strings.Contains(sum.Raw, "has moved") {
		t.Error("a move is told of, but there was none")
	}
}

// A name server that is dead is passed over for the next; a name that nobody knows is said before the load.
func TestRunPassesOverADeadNameServer(t *testing.T) {
	t.Parallel()
	s := startCounting(t, "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(s.address)
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := silent.LocalAddr().String()
	_ = silent.Close() // asking it is refused
	names := startNameServer(t, "127.0.0.1")
	document := `
execution: {concurrency: 2, iterations: 5, scenario: s}
scenarios:
  s:
    default-address: http://some.test:` + port + `
    requests: [/]
settings:
  dns: {servers: ["` + dead + `", "` + names.address + `"]}
`
	sum := startChild(t, nil, document).end(t, 0)
	if sum.Get("total.codes.200").Int() != 10 || s.read.Load() != 10 {
		t.Errorf("codes %s, the server has read %d requests", sum.Get("total.codes"), s.read.Load())
	}
	names.say()
	c := startChild(t, nil, document)
	c.end(t, 1)
	if out := c.output.String(); !strings.Contains(out, `host "some.test"`) || !strings.Contains(out, "cannot be found") || s.read.Load() != 10 {
		t.Errorf("a name that is unknown: %s", out)
	}
}
