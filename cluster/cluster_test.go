package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// target is a server that remembers what it was sent.
type target struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	hold chan struct{} // not nil: /hold answers when it is closed
}

func newTarget(t *testing.T) *target {
	t.Helper()
	s := &target{hold: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		s.mu.Unlock()
		if r.URL.Path == "/hold" {
			select {
			case <-s.hold:
			case <-r.Context().Done():
			}
		}
		fmt.Fprint(w, `{"token": "t-1", "ids": ["a", "b"]}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// take gives what was sent so far, sorted, and forgets it.
func (s *target) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	slices.Sort(seen)
	return seen
}

func (s *target) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// document writes files and returns the name of the first one.
func document(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

func plan(t *testing.T, name string) *engine.Plan {
	t.Helper()
	file, list := config.Load(t.Context(), []string{name}, config.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	p, list := engine.Compile(file, engine.Options{})
	if list.HasErrors() {
		t.Fatal(list)
	}
	return p
}

func pack(t *testing.T, name string, seed uint64) *Bundle {
	t.Helper()
	b, list := Pack(t.Context(), []string{name}, config.Options{}, engine.Options{}, seed)
	if list.HasErrors() {
		t.Fatal(list)
	}
	return b
}

// alone runs a document in one process.
func alone(t *testing.T, name string) *metrics.Snapshot {
	t.Helper()
	out, err := engine.New(plan(t, name), engine.RunOptions{}).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snapshot := metrics.NewSnapshot()
	for iv := range out {
		snapshot.Add(iv)
	}
	return snapshot
}

// crew is a controller with its agents in this process.
type crew struct {
	*Source
	bus    *Memory
	agents sync.WaitGroup

	mu      sync.Mutex
	endings map[string]string
	said    []string
}

func (c *crew) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, text)
}

func (c *crew) heard(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.said, func(s string) bool { return strings.Contains(s, text) })
}

// join starts an agent.
func (c *crew) join(t *testing.T, id string, opts AgentOptions) {
	t.Helper()
	link, err := c.bus.Join(id)
	if err != nil {
		t.Fatal(err)
	}
	if opts.Name == "" {
		opts.Name = id
	}
	opts.Host, opts.Machine = "host", json.RawMessage(`{"host":"here"}`)
	c.agents.Go(func() {
		ending, err := Serve(context.Background(), link, opts)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.endings[id] = fmt.Sprintf("%+v %v", ending, err)
	})
}

// patience is long enough that nobody is taken for lost on a busy machine.
const patience = time.Minute

// newCrew makes a controller that waits for n agents and starts them.
func newCrew(t *testing.T, n int, opts Options) *crew {
	t.Helper()
	c := &crew{bus: NewMemory(), endings: map[string]string{}}
	opts.Agents, opts.Say = n, c.say
	if opts.LostAfter == 0 {
		opts.LostAfter = patience
	}
	controller := NewController(c.bus, opts)
	c.Source = &Source{Controller: controller}
	t.Cleanup(func() {
		controller.Close()
		_ = c.bus.Close()
		c.agents.Wait()
	})
	for i := range n {
		c.join(t, fmt.Sprintf("agent-%d", i+1), AgentOptions{})
	}
	if err := controller.Gather(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	return c
}

// cutOff breaks the network of an agent and has the time pass after which it is lost: nobody else is, however busy the machine.
func (c *crew) cutOff(t *testing.T, id string) {
	t.Helper()
	c.bus.Cut(id, true)
	await(t, "the loss of "+id, func() bool {
		c.Source.mu.Lock()
		defer c.Source.mu.Unlock()
		m := c.member(id)
		if m == nil || m.state == metrics.AgentLost {
			return true
		}
		m.heard = time.Time{}
		return false
	})
}

// begin has the crew start a document.
func (c *crew) begin(t *testing.T, name string) <-chan *metrics.Interval {
	t.Helper()
	p := plan(t, name)
	if err := c.Distribute(t.Context(), pack(t, name, p.Seed())); err != nil {
		t.Fatal(err)
	}
	c.Source.plan = p
	out, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// finish adds up what is left of a run.
func finish(t *testing.T, out <-chan *metrics.Interval) *metrics.Snapshot {
	t.Helper()
	snapshot := metrics.NewSnapshot()
	sequence, final := uint64(0), false
	for iv := range out {
		if sequence++; iv.Sequence != sequence || final {
			t.Errorf("interval %d has number %d (after the final one: %v)", sequence, iv.Sequence, final)
		}
		final = iv.Final
		snapshot.Add(iv)
	}
	if !final {
		t.Error("no interval was final")
	}
	return snapshot
}

const fixedWork = `
execution:
- {concurrency: 5, iterations: 6, scenario: users}
- {concurrency: 4, total-iterations: 17, scenario: shared}
- {arrival-rate: 50/s, total-iterations: 21, scenario: open}
- {concurrency: 3, iterations: 4, scenario: rows}
scenarios:
  users: {default-address: "%[1]s", requests: ["/u/${__threadNum}/${__iterationNum}/${__Random(1,1000000000)}", {url: "/post/${__UUID}", method: POST, body: "${__Random(1,99)}"}]}
  shared: {default-address: "%[1]s", requests: ["/s/${__Random(1,1000000000)}"]}
  open: {default-address: "%[1]s", requests: ["/o/${__UUID}"]}
  rows: {default-address: "%[1]s", data-sources: [{path: rows.csv, loop: false}], requests: [{url: "/r/${id}", method: POST, body-file: body.json}]}
settings: {seed: 42}
`

// TestTheSameRequestsAreSent runs fixed work in one process and with two and three agents: the server is sent the same requests, as
// often, and the results count what it counted.
func TestTheSameRequestsAreSent(t *testing.T) {
	server := newTarget(t)
	rows := "id\n"
	for i := range 12 {
		rows += fmt.Sprintf("row%d\n", i)
	}
	name := document(t, "run.yml", fmt.Sprintf(fixedWork, server.URL), "rows.csv", rows, "body.json", `{"limit": 1}`)
	alone(t, name)
	want := server.take()
	if len(want) != 60+17+21+12 {
		t.Fatalf("one process sent %d requests", len(want))
	}
	for _, n := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("%d agents", n), func(t *testing.T) {
			c := newCrew(t, n, Options{})
			snapshot := finish(t, c.begin(t, name))
			if diff := cmp.Diff(want, server.take()); diff != "" {
				t.Errorf("other requests were sent (-one process +%d agents):\n%s", n, diff)
			}
			if err := snapshot.Reconcile(); err != nil {
				t.Error(err)
			}
			if got := snapshot.Total(); got.Finished != int64(len(want)) || got.Exchanges != int64(len(want)) || got.Failed != 0 {
				t.Errorf("%d requests and %d exchanges are counted, %d failed; want %d", got.Finished, got.Exchanges, got.Failed, len(want))
			}
			if err := c.Err(); err != nil {
				t.Error(err)
			}
			agents := snapshot.Agents()
			sum := int64(0)
			for _, a := range agents {
				sum += a.Finished
				if a.State != metrics.AgentEnded || a.Finished == 0 {
					t.Errorf("%+v", a)
				}
			}
			if len(agents) != n || sum != int64(len(want)) {
				t.Errorf("%d agents sent %d requests", len(agents), sum)
			}
		})
	}
}

// TestPrepareIsDoneOnce runs prepare at the controller and copies its variables to the users of all agents.
func TestPrepareIsDoneOnce(t *testing.T) {
	server := newTarget(t)
	name := document(t, "run.yml", fmt.Sprintf(`
execution:
- concurrency: 4
  iterations: 2
  scenario: s
  prepare: [{url: /login, extract-jsonpath: {token: $.token, ids: "$.ids[*]"}}]
  finish: ["/logout/${token}"]
scenarios: {s: {default-address: %q, setup: ["/setup/${token}"], requests: ["/get/${token}/${ids_matchNr}"]}}
`, server.URL))
	c := newCrew(t, 2, Options{})
	snapshot := finish(t, c.begin(t, name))
	want := []string{"GET /login ", "GET /logout/t-1 "}
	for range 4 {
		want = append(want, "GET /setup/t-1 ", "GET /get/t-1/2 ", "GET /get/t-1/2 ")
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, server.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}
