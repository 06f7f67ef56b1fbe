package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// An execution that has ended, or is ending, is told so and makes no event; others are changed.
func TestControlOfWhatHasEnded(t *testing.T) {
	users := 3
	d := dryRun(t, `
execution:
- {concurrency: 1, hold-for: 1s, scenario: s}
- {concurrency: 1, hold-for: 4s, scenario: long}
scenarios:
  s: {default-address: 'http://fake', requests: [/]}
  long: {default-address: 'http://fake', requests: [/]}
`, slow(100*time.Millisecond), func(e *Engine) {
		time.Sleep(2 * time.Second)
		for _, c := range []Command{{Users: &users}, {Pause: true}, {Resume: true}, {Stop: true}} {
			c.Execution = "s"
			if err := e.Control(c); !errors.Is(err, ErrEnded) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if err := e.Control(Command{Users: &users}); err != nil {
			t.Errorf("all that go on: %v", err)
		}
		time.Sleep(time.Second)
		e.Stop("enough")
		if err := e.Control(Command{Users: &users}); !errors.Is(err, ErrEnded) {
			t.Errorf("a run that ends: %v", err)
		}
	})
	var load []string
	for _, e := range d.events {
		if e[:4] == "load" {
			load = append(load, e)
		}
	}
	if !slices.Equal(load, []string{"load: long: 3 users"}) {
		t.Errorf("events %q", load)
	}
}

// TestMoreUsersThanThereIsRoomFor asks for as many as this process may open files: the run goes on with those that it has.
func TestMoreUsersThanThereIsRoomFor(t *testing.T) {
	have, ok := descriptorLimit()
	if !ok || have > 9_000_000 {
		t.Skip("this process may open any number of files")
	}
	for _, tt := range []struct {
		name, settings string
		each           int64 // connections of a user
		refused        bool
	}{
		{"two targets", "", 2, true},
		{"nobody asked before the run", "settings: {preflight: false}\n", 2, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, tt.settings+`
execution:
- {concurrency: 1, hold-for: 4s, scenario: s}
- {concurrency: 3, hold-for: 4s, scenario: other}
scenarios:
  s: {requests: ['http://a/', 'http://b/']}
  other: {requests: ['http://a/']}
`, slow(100*time.Millisecond), func(e *Engine) {
				time.Sleep(time.Second)
				users := int(have)
				if !tt.refused {
					if err := e.room(users, e.running); err != nil {
						t.Errorf("it was to be asked: %v", err)
					}
					users = 5
				}
				err := e.Control(Command{Execution: "s", Users: &users})
				if tt.refused {
					want := fmt.Sprintf("there is no room for %d users: the run would need %d file descriptors, this process may open %d; raise the limit (ulimit -n %d) before the run, or ask for at most %d",
						have, tt.each*have+3+reserve, have, tt.each*have+3+reserve, (have-reserve-3)/tt.each)
					if !errors.Is(err, ErrNoRoom) || err.Error() != want {
						t.Errorf("got  %v\nwant %s", err, want)
					}
				} else if err != nil {
					t.Error(err)
				}
				if err := e.Control(Command{Users: &users}); errors.Is(err, ErrNoRoom) != tt.refused {
					t.Errorf("all: %v", err)
				}
			})
			changed := slices.ContainsFunc(d.events, func(e string) bool { return strings.HasPrefix(e, "load") })
			if changed == tt.refused {
				t.Errorf("events %q", d.events)
			}
		})
	}
}

// What is set before an execution begins holds from its beginning.
func TestControlBeforeTheBeginning(t *testing.T) {
	rate := 10.0
	for _, load := range []string{"concurrency: 1, throughput: 1", "concurrency: 1", "arrival-rate: 1/s"} {
		d := dryRun(t, "execution: [{"+load+", delay: 2s, hold-for: 3s, scenario: s}]"+oneRequest, slow(time.Millisecond), func(e *Engine) {
			time.Sleep(time.Second)
			if err := e.Control(Command{Rate: &rate}); err != nil {
				t.Error(err)
			}
		})
		if n := len(d.starts()); n != 30 {
			t.Errorf("%s: %d requests, want those of 10/s for 3 s", load, n)
		}
	}
}
