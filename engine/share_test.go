package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// dryShare runs a share of a document on made-up time and gives what it sent: request lines and bodies.
func dryShare(t *testing.T, text string, share Share, answer func(string, int) fakeAnswer) (sent []string, snapshot *metrics.Snapshot) {
	t.Helper()
	plan, list := Compile(loadFile(t, text), Options{Share: share})
	if list.HasErrors() {
		t.Fatal(list)
	}
	snapshot = metrics.NewSnapshot()
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		srv := &fakeServer{clock: clock, answer: answer}
		out, err := New(plan, RunOptions{Clock: clock, Connect: srv.connect}).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for iv := range out {
			snapshot.Add(iv)
		}
		for _, head := range srv.heads {
			line, _, _ := strings.Cut(head, "\r\n")
			sent = append(sent, line)
		}
		synctest.Wait()
	})
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
	return sent, snapshot
}

// TestSharesAreTheWhole runs fixed work in one process and as two, three and five: the same requests are sent, as often, and
// what was planned adds up.
func TestSharesAreTheWhole(t *testing.T) {
	const script = "\nsettings: {seed: 7}\nscenarios: {s: {default-address: 'http://fake', requests: ['/${__threadNum}/${__iterationNum}/${__Random(1,1000000)}', '/b/${__UUID}']}}\n"
	const rows = "\nsettings: {seed: 7}\nscenarios: {s: {default-address: 'http://fake', data-sources: [{rows: [{id: a}, {id: b}, {id: c}, {id: d}, {id: e}], loop: %v, random-order: %v}], requests: ['/${id}']}}\n"
	tests := []struct{ name, text string }{
		{"iterations per user", "execution: [{concurrency: 7, iterations: 3, scenario: s}]" + script},
		{"users of a ramp", "execution: [{concurrency: 7, ramp-up: 3s, iterations: 3, scenario: s}]" + script},
		{"one user", "execution: [{concurrency: 1, iterations: 3, scenario: s}]" + script},
		{"shared iterations", "execution: [{concurrency: 5, total-iterations: 23, scenario: s}]" + strings.ReplaceAll(script, "/${__threadNum}/${__iterationNum}", "")},
		{"arrivals", "execution: [{arrival-rate: 20/s, hold-for: 2s, max-concurrency: 50, scenario: s}]" + strings.ReplaceAll(script, "/${__threadNum}/${__iterationNum}", "")},
		{"few arrivals in total", "execution: [{arrival-rate: 20/s, total-iterations: 11, scenario: s}]" + strings.ReplaceAll(script, "/${__threadNum}/${__iterationNum}", "")},
		{"random arrivals", "execution: [{arrival-rate: 20/s, hold-for: 2s, distribution: poisson, max-concurrency: 50, scenario: s}]" + strings.ReplaceAll(script, "/${__threadNum}/${__iterationNum}", "")},
		{"capped", "execution: [{concurrency: 5, iterations: 4, throughput: 10, scenario: s}]" + script},
		{"two executions", "execution: [{concurrency: 1, iterations: 2, scenario: s}, {concurrency: 4, iterations: 2, scenario: s}]" + script},
		{"rows in order", "execution: [{concurrency: 5, iterations: 4, scenario: s}]" + fmt.Sprintf(rows, true, false)},
		{"rows in random order", "execution: [{concurrency: 5, iterations: 4, scenario: s}]" + fmt.Sprintf(rows, true, true)},
		{"rows once", "execution: [{concurrency: 2, hold-for: 10m, scenario: s}]" + fmt.Sprintf(rows, false, false)},
		{"a shared counter", "execution: [{concurrency: 5, iterations: 4, scenario: s}]\nscenarios: {s: {default-address: 'http://fake', requests: ['/${__counter(FALSE)}']}}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, whole := dryShare(t, tt.text, Share{}, slow(time.Millisecond))
			slices.Sort(want)
			if len(want) == 0 {
				t.Fatal("nothing was sent")
			}
			for _, n := range []int{2, 3, 5} {
				var got []string
				sum := metrics.Counts{}
				for i := range n {
					part, snapshot := dryShare(t, tt.text, Share{Index: i, Of: n}, slow(time.Millisecond))
					got = append(got, part...)
					counts := snapshot.Iterations()
					sum.Scheduled += counts.Scheduled
					sum.Finished += counts.Finished
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d processes do not send what one does (-one +%d):\n%s", n, n, diff)
				}
				if counts := whole.Iterations(); counts.Scheduled != sum.Scheduled || counts.Finished != sum.Finished {
					t.Errorf("%d processes: %+v, one: %+v", n, sum, counts)
				}
			}
		})
	}
}

// TestSharesOfARunningChange sets users and rates while shares run: together they have what was set.
func TestSharesOfARunningChange(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		change     Command
		want       int64 // alive at once, at most
	}{
		{"more users", "execution: [{concurrency: 1, hold-for: 4s, scenario: s}]" + oneRequest, Command{Users: pointer(7)}, 7},
		{"fewer, then as many", "execution: [{concurrency: 6, hold-for: 4s, scenario: s}]" + oneRequest, Command{Users: pointer(2)}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last := int64(0)
			for i := range 3 {
				plan, list := Compile(loadFile(t, tt.text), Options{Share: Share{Index: i, Of: 3}})
				if list.HasErrors() {
					t.Fatal(list)
				}
				synctest.Test(t, func(t *testing.T) {
					clock := NewClock()
					e := New(plan, RunOptions{Clock: clock, Connect: (&fakeServer{clock: clock, answer: slow(100 * time.Millisecond)}).connect})
					out, err := e.Start(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for iv := range out {
						if iv.Second == 0 {
							if err := e.Control(tt.change); err != nil && !errors.Is(err, ErrEnded) { // a share without a user ends at once
								t.Error(err)
							}
						}
						if iv.Second == 2 {
							last += iv.Load[0].Users
						}
					}
					synctest.Wait()
				})
			}
			if last != tt.want {
				t.Errorf("%d users in the third second, want %d", last, tt.want)
			}
		})
	}
}

func pointer[T any](v T) *T { return &v }
