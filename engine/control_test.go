package engine

import (
	"errors"
	"slices"
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
