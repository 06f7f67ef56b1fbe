package main

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/console"
	"github.com/stacrun/stacrun/reporters/report"
)

// obedient is a source that notes the commands it gets.
type obedient struct{ commands []engine.Command }

func (o *obedient) Start(context.Context) (<-chan *metrics.Interval, error) { return nil, nil }
func (o *obedient) Stop(string)                                             {}
func (o *obedient) Abort(string)                                            {}
func (o *obedient) Err() error                                              { return nil }
func (o *obedient) Control(c engine.Command) error {
	o.commands = append(o.commands, c)
	return nil
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

func TestKeys(t *testing.T) {
	desk, source, reasons := &console.Desk{}, &obedient{}, make(chan string, 4)
	k := &keys{desk: desk, remote: &remote{}}
	k.press("qp+-\t") // before the run: nothing to do it to
	k.stopped = false

	c := console.New(console.Options{Out: nowhere{}, Live: true, Desk: desk})
	if err := c.Begin(report.Run{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	k.remote.listen(reasons)
	k.remote.attach(source)
	snap := metrics.NewSnapshot()
	observe := func(second int64, events ...metrics.Event) {
		iv := &metrics.Interval{Second: second, Events: events, Load: []metrics.Load{{Execution: "a", Planned: 40}, {Execution: "b", Planned: 2.5, Open: true}}}
		snap.Add(iv)
		if err := c.Observe(iv, snap, nil); err != nil {
			t.Fatal(err)
		}
	}
	observe(0)
	k.press("+")
	k.press("\x1b[A") // an arrow
	k.press("\x1b[Z")
	k.press("-p")
	observe(1, metrics.Event{Kind: "load", Text: "a: paused"})
	k.press("p")
	k.press("qqx")

	users := func(n int) *int { return &n }
	rate := func(r float64) *float64 { return &r }
	want := []engine.Command{
		{Execution: "a", Users: users(44)}, {Execution: "b", Rate: rate(2.75)},
		{Execution: "a", Users: users(36)}, {Execution: "b", Rate: rate(2.25)},
		{Pause: true}, {Resume: true},
	}
	if diff := cmp.Diff(want, source.commands); diff != "" {
		t.Error(diff)
	}
	if len(reasons) != 2 || <-reasons != "stopped by the key q" {
		t.Errorf("%d stops", len(reasons))
	}
}

func TestLevelsByKey(t *testing.T) {
	tests := []struct {
		name      string
		level     console.Level
		direction float64
		want      string
	}{
		{"one user more", console.Level{Planned: 1}, 1, "2 users"},
		{"never below one user", console.Level{Planned: 1}, -1, "1 user"},
		{"a tenth", console.Level{Planned: 250}, -1, "225 users"},
		{"in a ramp", console.Level{Planned: 7.6}, 1, "9 users"},
		{"a slow rate", console.Level{Open: true, Planned: 0.3}, 1, "0.4/s"},
		{"never below a tenth per second", console.Level{Open: true, Planned: 0.1}, -1, "0.1/s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := changed(tt.level, tt.direction); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
