package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// TestIterationsThatWaitForTheirFirstPermit end while some have begun nothing: those were never started.
func TestIterationsThatWaitForTheirFirstPermit(t *testing.T) {
	tests := []struct {
		name, load, requests string
		want                 metrics.LoadPart
	}{
		{
			"closed", "concurrency: 5, throughput: 1/s, hold-for: 4s", "[/]",
			metrics.LoadPart{Scheduled: 4, Started: 4, Finished: 4, RequestsStarted: 4},
		},
		{
			"behind its first request", "concurrency: 1, throughput: 1/s, hold-for: 4s", "[/, /, /]",
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 1, Interrupted: 1, RequestsStarted: 4},
		},
		{
			"branches have begun with their iteration", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", "[{parallel: [/, /, /]}]",
			metrics.LoadPart{Scheduled: 1, Started: 1, Interrupted: 1, RequestsStarted: 2},
		},
		{
			"a sum of requests", "concurrency: 2, throughput: 1/s, hold-for: 1500ms", "[{transaction: t, force-parent-sample: true, do: [/]}]",
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 2, RequestsStarted: 2},
		},
		{
			"nothing to send", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", "[{action: pause, pause-duration: 1s}]",
			metrics.LoadPart{Scheduled: 1, Started: 1, Finished: 1},
		},
		{
			"a mistake comes before", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", `[{if: "${int(n) > 1}", then: [/]}, /, /]`,
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 1, Interrupted: 1, RequestsStarted: 4},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]\nscenarios: {s: {default-address: 'http://fake', variables: {n: x}, requests: "+tt.requests+"}}\n", slow(10*time.Millisecond), nil)
			got := d.Loads()[0].Part(false)
			got.RequestsAdmitted, got.RequestsPlanned, got.Throttled = 0, 0, 0
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			ended := int64(0)
			for _, row := range d.ExecutionRows() {
				if row.Kind == metrics.IterationKind {
					ended += row.Finished + row.Interrupted
				}
			}
			if ended != tt.want.Started {
				t.Errorf("%d iterations are in the rows, want %d", ended, tt.want.Started)
			}
		})
	}
}

// An iteration under a cap begins with its first permit, and is of the part of the load in which that fell: its time holds no wait for the permit.
func TestIterationsBeginWithTheirFirstPermit(t *testing.T) {
	d := dryRun(t, "execution: [{concurrency: 30, hold-for: 6s, warm-up: 2s, throughput: 5, scenario: s}]"+oneRequest, slow(10*time.Millisecond), nil)
	l := d.Loads()[0]
	for warmUp, want := range map[bool]int64{true: 10, false: 20} {
		if p := l.Part(warmUp); p.Started != want || p.Finished != want || p.RequestsStarted != want {
			t.Errorf("warm-up %v: %d iterations were started, %d finished, %d requests started; want %d of each", warmUp, p.Started, p.Finished, p.RequestsStarted, want)
		}
	}
	for _, row := range d.ExecutionRows() {
		if row.Kind == metrics.IterationKind && (row.Finished != 20 || row.Service.Max != int64(10*time.Millisecond)) {
			t.Errorf("%d iterations were measured, the longest took %v; want 20 and 10ms", row.Finished, time.Duration(row.Service.Max))
		}
	}
}

// Users that wait for the first permit of an iteration begin none while the load is paused, nor when they are sent home; what has begun goes on.
func TestNothingBeginsInAPauseOfACap(t *testing.T) {
	none := 0
	for _, tt := range []struct {
		name, requests string
		command        Command
		want           []int64
	}{
		{"paused", "[/]", Command{Pause: true}, []int64{0, 200, 400, 600, 800, 3000, 3200, 3400, 3600, 3800}},
		{"sent home", "[/]", Command{Users: &none}, []int64{0, 200, 400, 600, 800}},
		{"in the middle", "[/, /, /, /, /, /, /, /]", Command{Pause: true}, []int64{0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600, 2800, 3000, 3200, 3400, 3600, 3800}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			users := 10
			if tt.name == "in the middle" {
				users = 5
			}
			d := dryRun(t, fmt.Sprintf("execution: [{concurrency: %d, hold-for: 4s, throughput: 5, scenario: s}]\nscenarios: {s: {default-address: 'http://fake', requests: %s}}\n", users, tt.requests), slow(time.Millisecond), func(e *Engine) {
				time.Sleep(900 * time.Millisecond)
				_ = e.Control(tt.command)
				time.Sleep(2 * time.Second)
				_ = e.Control(Command{Resume: true})
			})
			if diff := cmp.Diff(tt.want, d.starts()); diff != "" {
				t.Errorf("starts in ms (-want +got):\n%s", diff)
			}
			if l := d.Loads()[0]; tt.command.Pause && l.RequestsAdmitted != l.RequestsPlanned {
				t.Errorf("%d of %d planned requests were admitted", l.RequestsAdmitted, l.RequestsPlanned)
			}
		})
	}
}

// A retry whose next attempt the end of the plan keeps from its permit was over with the attempt before: what that sent is counted, and judged.
func TestRetryThatGetsNoPermit(t *testing.T) {
	requests := "[{retry: {attempts: 5, on: [5xx]}, do: [/ok, {transaction: t, do: [/bad]}]}]"
	d := dryRun(t, "execution: [{concurrency: 1, iterations: 1, hold-for: 3500ms, throughput: 1, scenario: s}]\nscenarios: {s: {default-address: 'http://fake', requests: "+requests+"}}\n",
		func(url string, _ int) fakeAnswer {
			if strings.Contains(url, "bad") {
				return fakeAnswer{after: time.Millisecond, status: 503}
			}
			return fakeAnswer{after: time.Millisecond, status: 200}
		}, nil)
	if total := d.Total(); total.Finished != 2 || total.Failed != 1 || total.Exchanges != 4 {
		t.Errorf("%d requests finished, %d failed, %d exchanges; want 2, 1 and 4", total.Finished, total.Failed, total.Exchanges)
	}
	if p := d.Loads()[0].Part(false); p.Started != 1 || p.Interrupted != 1 || p.RequestsStarted != 2 {
		t.Errorf("%+v, want an interrupted iteration with two requests", p)
	}
}
