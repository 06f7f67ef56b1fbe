package main

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/console"
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

func TestKeys(t *testing.T) {
	source, reasons := &obedient{}, make(chan string, 4)
	k := &keys{remote: &remote{}, ctrlC: make(chan struct{}, 1)}
	levels := []console.Level{{Execution: "a", Planned: 40}, {Execution: "b", Planned: 2.5, Open: true}}
	if said := k.Pause(false); said != errNoLoad.Error() {
		t.Errorf("before the load: %q", said)
	}
	if said := k.Change(nil, 1); said != errNoLoad.Error() {
		t.Errorf("before the load: %q", said)
	}
	k.remote.listen(reasons)
	k.remote.attach(source)
	said := []string{k.Change(levels, 1), k.Change(levels, -1), k.Pause(false), k.Pause(true), k.Stop(), k.Stop(), k.Interrupt(), k.Interrupt()}
	wantSaid := []string{
		"44 users, 2.75/s", "36 users, 2.25/s", "pausing", "going on", "stopping: running requests may finish; q again stops at once", "stopping at once", "", "",
	}
	if diff := cmp.Diff(wantSaid, said); diff != "" {
		t.Error(diff)
	}
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
	if len(k.ctrlC) != 1 {
		t.Errorf("%d times Ctrl-C", len(k.ctrlC))
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
