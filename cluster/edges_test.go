package cluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// await waits until something holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s never came", what)
}

// ended is how an agent ended, "" while it has not.
func (c *crew) ended(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endings[id]
}

// joined waits until that many agents take part.
func (c *crew) joined(t *testing.T, n int) {
	t.Helper()
	await(t, fmt.Sprintf("%d agents", n), func() bool { return len(c.Names()) == n })
}

// TestAgentThatIsGivenUpJoinsAgain cuts an agent off while others are waited for: when it can be heard again it takes part.
func TestAgentThatIsGivenUpJoinsAgain(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 0, Options{})
	c.opts.Agents = 2
	c.join(t, "first", AgentOptions{})
	c.joined(t, 1)
	c.cutOff(t, "first")
	if !c.heard("agent first (host) has gone again") {
		t.Errorf("said: %q", c.said)
	}
	c.bus.Cut("first", false)
	c.joined(t, 1)
	c.join(t, "second", AgentOptions{})
	if err := c.Gather(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	snapshot := finish(t, c.begin(t, document(t, "run.yml", fmt.Sprintf(`
execution: [{concurrency: 4, iterations: 3, scenario: s}]
scenarios: {s: {default-address: %q, requests: [/]}}
`, server.URL))))
	if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil || snapshot.Total().Finished != 12 {
		t.Errorf("%d requests, %v", snapshot.Total().Finished, err)
	}
}

// TestAgentOfAnotherRun has a controller at the same address that knows nothing of an agent's run, as one that was started anew does: the
// agent ends its load, though there are beats.
func TestAgentOfAnotherRun(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 1, Options{})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	until(t, out, metrics.NewSnapshot(), func(iv *metrics.Interval) bool { return users(iv) == 4 })
	c.Source.mu.Lock()
	c.members[0].id = "somebody else"
	c.Source.mu.Unlock()
	await(t, "its end", func() bool { return strings.Contains(c.ended("agent-1"), ErrGone.Error()) })
	c.Abort("over")
	rest(out, metrics.NewSnapshot())
}

// TestAgentThatLeavesBeforeTheLoad is interrupted while others are waited for: the controller knows at once, and takes another.
func TestAgentThatLeavesBeforeTheLoad(t *testing.T) {
	c := newCrew(t, 0, Options{})
	leave := make(chan string, 1)
	c.opts.Agents = 2
	c.join(t, "one", AgentOptions{Interrupts: leave})
	c.joined(t, 1)
	leave <- "off home"
	await(t, "its end", func() bool { return c.heard("agent one (host) has left again (off home)") })
	if got := c.Names(); len(got) != 0 {
		t.Errorf("there still are %v", got)
	}
}

// TestTargetsAreLookedAtOnce has a preflight that takes long: it is asked for again, and done once.
func TestTargetsAreLookedAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var visits atomic.Int64
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			serving.Go(func() {
				_, _ = io.Copy(io.Discard, conn) // no TLS server answers: until the visitor has had enough
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(serving.Wait)
	t.Cleanup(func() { _ = listener.Close() })
	c := newCrew(t, 1, Options{})
	name := document(t, "run.yml", fmt.Sprintf(`
execution: [{concurrency: 1, iterations: 1, scenario: s}]
scenarios: {s: {default-address: "https://%s", requests: [/]}}
`, listener.Addr()))
	p := plan(t, name)
	if err := c.Distribute(t.Context(), pack(t, name, p.Seed())); err != nil {
		t.Fatal(err)
	}
	c.Source.plan = p
	if _, err := c.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing was sent: agent agent-1 (host): nothing answers at https://") {
		t.Errorf("the result: %v", err)
	}
	if got := visits.Load(); got != 1 {
		t.Errorf("the target was looked at %d times", got)
	}
}

// TestOrderThatComesLate cuts an agent off while the load is to begin: how late it was is told.
func TestOrderThatComesLate(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 2, Options{})
	name := document(t, "run.yml", fmt.Sprintf(endless, server.URL)+"settings: {preflight: false}\n")
	p := plan(t, name)
	if err := c.Distribute(t.Context(), pack(t, name, p.Seed())); err != nil {
		t.Fatal(err)
	}
	c.Source.plan = p
	c.bus.Cut("agent-1", true)
	out, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return iv.Second == 1 })
	c.bus.Cut("agent-1", false)
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	c.Stop("enough")
	rest(out, snapshot)
	if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil {
		t.Error(err)
	}
	if !c.heard("agent agent-1 (host) began ") || !c.heard(" late: the order reached it after its moment") || !c.heard("agents began within ") {
		t.Errorf("said: %q", c.said)
	}
	if !slices.ContainsFunc(snapshot.Events(), func(e metrics.Event) bool {
		return e.Kind == "agents" && strings.Contains(e.Text, "clocks agree to ±")
	}) {
		t.Errorf("no event tells of the clocks: %v", snapshot.Events())
	}
}

// TestOrderThatSaysNothing gives an order to change the load without saying to what.
func TestOrderThatSaysNothing(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 1, Options{})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	c.Source.mu.Lock()
	c.order(order{Do: doControl}, nil)
	c.order(order{Do: "dance"}, nil)
	c.Source.mu.Unlock()
	c.Stop("enough")
	rest(out, snapshot)
	if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil {
		t.Error(err)
	}
}

// TestTooLargeToTell has a second that no message holds: the controller is told why the run cannot go on.
func TestTooLargeToTell(t *testing.T) {
	bus := NewMemory()
	link, err := bus.Join("a")
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(link, AgentOptions{})
	defer a.codec.Close()
	a.director = newDirector(func(string) {})
	a.engine = engine.New(plan(t, document(t, "run.yml", fmt.Sprintf(endless, "http://127.0.0.1:1"))), engine.RunOptions{})
	noise := make([]byte, MaxMessage+1)
	_, _ = rand.Read(noise) // never fails (documented)
	err = a.tick(&metrics.Interval{Second: 7, Sequence: 8, Events: []metrics.Event{{Kind: "load", Text: string(noise)}}})
	if err == nil || !strings.Contains(err.Error(), "what happened in second 7 takes 32 MB, and a message holds 32 MB") {
		t.Errorf("the agent ends with %v", err)
	}
	r, parseErr := parse((<-bus.Receive()).Message)
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	if d := read[done](r); r.kind != kindDone || d.Ticks != 7 || err == nil || d.Error != err.Error() {
		t.Errorf("it said %s %+v", r.kind, d)
	}
}

// TestClockOfTheBestExchange sets the clock by exchanges of times that took long, less, and long again.
func TestClockOfTheBestExchange(t *testing.T) {
	a := &agent{base: time.Now().Add(-time.Hour)} // clocks of machines have nothing in common
	for _, step := range []struct {
		took time.Duration
		here int64 // of the controller when it answered
		set  bool
	}{
		{400 * time.Second, 5e9, true}, {100 * time.Second, 7e9, true}, {300 * time.Second, 1e9, false},
	} {
		before := a.offset
		sent := a.now() - int64(step.took)
		a.setClock(clockSample{Sent: sent, Here: step.here})
		// The answer was made half way between asking and hearing it.
		if want := step.here - sent - int64(step.took)/2; step.set && (a.offset > want || want-a.offset > int64(time.Minute)/2) || !step.set && a.offset != before {
			t.Errorf("after an exchange of %s the clock is %d behind, want %d", step.took, a.offset, want)
		}
	}
	if a.roundTrip < int64(100*time.Second) || a.roundTrip > int64(130*time.Second) {
		t.Errorf("the best exchange took %s", time.Duration(a.roundTrip))
	}
}

// TestTicksThatAreKept keeps as many ticks as may be asked for again, and no more bytes than there is room for.
func TestTicksThatAreKept(t *testing.T) {
	a := &agent{}
	for range keptTicks + 10 {
		a.keep([]byte("tick"))
	}
	if len(a.ticks) != keptTicks || a.kept != 4*keptTicks {
		t.Errorf("%d ticks of %d bytes are kept", len(a.ticks), a.kept)
	}
	for range 4 {
		a.keep(make([]byte, keptBytes/2))
	}
	if len(a.ticks) != 2 || a.kept != keptBytes {
		t.Errorf("%d ticks of %d bytes are kept", len(a.ticks), a.kept)
	}
	a.keep(make([]byte, keptBytes+1))
	if len(a.ticks) != 1 {
		t.Errorf("%d ticks are kept, the last one must be", len(a.ticks))
	}
}

// TestNamesOfAgents takes out of them what terminals obey.
func TestNamesOfAgents(t *testing.T) {
	for name, want := range map[string]string{
		"": "unknown", " \t ": "unknown", "a\x1b[2Jb": "a [2Jb", "two\nlines": "two lines", "Müller": "Müller", strings.Repeat("長", 200): strings.Repeat("長", longestName),
	} {
		if got := plainName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// flood is a bus on which there is always something to read.
type flood struct {
	packets chan Packet
	beats   chan struct{}
}

func (f *flood) Send(_ string, text []byte) error {
	if r, err := parse(text); err == nil && r.kind == kindBeat {
		select {
		case f.beats <- struct{}{}:
		default:
		}
	}
	return nil
}

func (f *flood) Receive() <-chan Packet { return f.packets }
func (f *flood) Close() error           { return nil }

// TestBeatsUnderAFlood sends without a pause: the controller still says that it is there, or agents would take it for gone.
func TestBeatsUnderAFlood(t *testing.T) {
	hub := &flood{packets: make(chan Packet, 1000), beats: make(chan struct{})}
	stop := make(chan struct{})
	var flooding sync.WaitGroup
	for range 2 {
		flooding.Go(func() {
			for {
				select {
				case hub.packets <- Packet{From: "nobody", Message: []byte("noise")}:
				case <-stop:
					return
				}
			}
		})
	}
	c := NewController(hub, Options{Agents: 1})
	for range 3 {
		select {
		case <-hub.beats:
		case <-time.After(patience):
			t.Error("no beat came")
		}
	}
	close(stop)
	flooding.Wait()
	c.Close()
}

// FuzzMessages has a controller and an agent take what no program of ours sends: neither must end by it.
func FuzzMessages(f *testing.F) {
	for _, seed := range [][]byte{
		nil, {0}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, message(kindHello, hello{Name: "x"}, nil), message(kindHello, "x", nil), message(kindTick, tick{Sequence: 1 << 63}, []byte("x")),
		message(kindDone, done{Ticks: 1<<64 - 1}, nil), message(kindNeed, need{Offset: -1}, nil), message(kindOrders, ordersFrom{-1}, nil), message(kindAlive, alive{Plan: true, Ready: &ready{}}, nil),
		message(kindPlan, planOf{Index: -1}, []byte(`{"files": {"a": "b"}}`)), message(kindPiece, piece{Size: -1}, nil), message(kindOrder, order{Number: 1, Do: doStart}, nil), message(kindResend, resend{0, 1<<64 - 1}, nil),
		message(kindTime, clockSample{Here: -1 << 63}, nil), message(kindWelcome, nil, nil), message(kindEnd, nil, nil), message(kindThanks, nil, nil), message(kindUnknown, nil, nil), message(kindLeave, nil, nil),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		bus := NewMemory()
		c := NewController(bus, Options{Agents: 2})
		c.receive(Packet{From: "known", Message: message(kindHello, hello{Name: "known", Protocol: Protocol}, nil)})
		c.receive(Packet{From: "known", Message: text})
		c.receive(Packet{From: "stranger", Message: text})
		c.Close()
		link, err := bus.Join("known")
		if err != nil {
			t.Fatal(err)
		}
		a := newAgent(link, AgentOptions{})
		for _, welcomed := range []bool{false, true} {
			a.welcomed = welcomed
			_, _ = a.receive(t.Context(), text) // errors are fine
		}
		a.beside.Wait()
		a.codec.Close()
		_ = bus.Close()
	})
}
