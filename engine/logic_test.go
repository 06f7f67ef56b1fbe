package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// targets are the request targets in the order in which they were sent.
func (d *dry) targets() string {
	var all []string
	for _, h := range d.heads {
		all = append(all, strings.Fields(h)[1])
	}
	return strings.Join(all, " ")
}

func TestLogic(t *testing.T) {
	tests := []struct{ name, load, requests, want string }{
		{"if decides once", "", `
    - set-variables: {n: 5}
    - {if: '${n} > 3', then: [/then, {set-variables: {n: 1}}], else: [/else]}
    - {if: '${n} > 3', then: [/then], else: [/else]}`, "/then /else"},
		{"loop", "", "\n    - {loop: 3, do: [/a]}\n    - /b", "/a /a /a /b"},
		{"loop over a variable", "", "\n    - set-variables: {n: 2}\n    - {loop: '${n}', do: [/a]}", "/a /a"},
		{"while", "", `
    - set-variables: {n: 0}
    - while: '${n} < 3'
      do: ['/a/${n}', {set-variables: {n: '${n + 1}'}}]`, "/a/0 /a/1 /a/2"},
		{"foreach over a list", "", `
    - set-variables: {ids: [x, y]}
    - {foreach: id in ids, do: ['/a/${id}']}`, "/a/x /a/y"},
		{"once", "iterations: 2, ", "\n    - {once: [/first]}\n    - /each", "/first /each /each"},
		{"continue", "iterations: 2, ", "\n    - /a\n    - {action: continue}\n    - /b", "/a /a"},
		{"stop ends the user", "iterations: 5, ", "\n    - /a\n    - {action: stop}", "/a"},
		{"stop for all", "concurrency: 1, hold-for: 1h, ", "\n    - /a\n    - {action: stop, target: all-threads}", "/a"},
		{"condition of a request", "", "\n    - set-variables: {on: false}\n    - {url: /a, when: '${on}'}\n    - /b", "/b"},
		{"undefined until set", "", "\n    - set-variables: {a: 1}\n    - set-variables: {a: '${a + 1}'}\n    - '/${a}'", "/2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+"scenario: s}]\nscenarios:\n  s:\n    default-address: http://fake\n    requests:"+tt.requests+"\n", nil, nil)
			if got := d.targets(); got != tt.want {
				t.Errorf("sent %q, want %q; events %v", got, tt.want, d.events)
			}
			if it := d.Iterations(); it.Interrupted != 0 && tt.name != "stop for all" {
				t.Errorf("iterations %+v", it)
			}
		})
	}
}

func TestTransaction(t *testing.T) {
	answer := func(target string, n int) fakeAnswer {
		if target == "/bad" {
			return fakeAnswer{after: 30 * time.Millisecond, status: 500}
		}
		return fakeAnswer{after: 20 * time.Millisecond, status: 200}
	}
	d := dryRun(t, `
execution: [{scenario: s}]
scenarios:
  s:
    default-address: http://fake
    requests:
    - {transaction: both, do: [/a, {action: pause, pause-duration: 1s}, /bad]}
    - {transaction: timed, include-timers: true, do: [/a, {action: pause, pause-duration: 1s}, /b]}
    - {transaction: only, force-parent-sample: true, do: [/c, /d]}
`, answer, nil)
	both := d.Label("", "both")
	if both.Kind != metrics.TransactionKind || both.Finished != 1 || both.Failed != 1 || both.Service.Total != int64(50*time.Millisecond) {
		t.Errorf("both: %+v", both)
	}
	if timed := d.Label("", "timed"); timed.Failed != 0 || timed.Service.Total != int64(1040*time.Millisecond) {
		t.Errorf("timed: took %d", timed.Service.Total)
	}
	only := d.Label("", "only")
	if only.Kind != metrics.RequestKind || only.Finished != 1 || only.Exchanges != 2 || d.Label("", "/c") != nil {
		t.Errorf("only: %+v", only)
	}
	if got := d.Total(); got.Finished != 5 || got.Exchanges != 6 {
		t.Errorf("total: %d requests, %d exchanges; want 5 and 6", got.Finished, got.Exchanges)
	}
}

func TestRetry(t *testing.T) {
	answer := func(target string, n int) fakeAnswer {
		switch {
		case target == "/flaky" && n < 2:
			return fakeAnswer{after: 10 * time.Millisecond, status: 503}
		case target == "/gone":
			return fakeAnswer{after: 10 * time.Millisecond, status: 404}
		case target == "/reset":
			return fakeAnswer{after: 10 * time.Millisecond, fault: wire.FaultReset}
		}
		return fakeAnswer{after: 10 * time.Millisecond, status: 200}
	}
	d := dryRun(t, `
execution: [{scenario: s}]
scenarios:
  s:
    default-address: http://fake
    requests:
    - {retry: {attempts: 3, backoff: 100ms, on: [5xx]}, do: [/flaky]}
    - {retry: {attempts: 3, on: [5xx]}, do: [/gone]}
    - {retry: {attempts: 2, on: [reset]}, do: [/reset]}
`, answer, nil)
	if diff := cmp.Diff("/flaky /flaky /flaky /gone /reset /reset", d.targets()); diff != "" {
		t.Error(diff)
	}
	if flaky := d.Label("", "/flaky"); flaky.Finished != 1 || flaky.Failed != 0 || flaky.Exchanges != 3 {
		t.Errorf("flaky: finished %d, failed %d, exchanges %d", flaky.Finished, flaky.Failed, flaky.Exchanges)
	}
	if got := d.samples[0].Start / 1e6; got != 320 {
		t.Errorf("the last attempt began at %d ms, want 320: 10 + 100 + 10 + 200", got)
	}
	if total := d.Total(); total.Finished != 3 || total.Failed != 2 || total.Exchanges != 6 {
		t.Errorf("total: finished %d, failed %d, exchanges %d", total.Finished, total.Failed, total.Exchanges)
	}
}

func TestParallel(t *testing.T) {
	d := dryRun(t, `
execution: [{iterations: 2, scenario: s}]
scenarios:
  s:
    default-address: http://fake
    requests:
    - parallel: [/a, /b, {transaction: t, do: [/c, /d]}, /e]
      in-flight: 3
    - /f
`, slow(100*time.Millisecond), nil)
	// a, b and c at once; e follows the first that is done, d follows c; f comes when all are done.
	if diff := cmp.Diff([]int64{0, 0, 0, 100, 100, 200, 300, 300, 300, 400, 400, 500}, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
	if got := d.Total().Finished; got != 12 {
		t.Errorf("%d requests", got)
	}
}

func TestThinkTimePrecedesRequests(t *testing.T) {
	text := "\nscenarios: {s: {default-address: 'http://fake', think-time: 1s, requests: [/a, {url: /b, think-time: 0}, /c]}}\n"
	d := dryRun(t, "execution: [{scenario: s}]"+text, slow(100*time.Millisecond), nil)
	if diff := cmp.Diff([]int64{1000, 1100, 2200}, d.starts()); diff != "" {
		t.Errorf("jmeter: starts in ms (-want +got):\n%s", diff)
	}
	d = dryRun(t, "execution: [{scenario: s, executor: apiritif}]"+text, slow(100*time.Millisecond), nil)
	if diff := cmp.Diff([]int64{0, 1100, 1200}, d.starts()); diff != "" {
		t.Errorf("apiritif: starts in ms (-want +got):\n%s", diff)
	}
}

func TestEndOfPlan(t *testing.T) {
	text := "\nscenarios: {s: {default-address: 'http://fake', requests: [/a, /b]}}\n"
	d := dryRun(t, "execution: [{scenario: s, hold-for: 1s}]"+text, slow(700*time.Millisecond), nil)
	if it := d.Iterations(); it.Finished != 1 && it.Interrupted != 0 {
		t.Errorf("iterations %+v", it)
	}
	d = dryRun(t, "execution: [{scenario: s, hold-for: 1s}]"+text, slow(1200*time.Millisecond), nil)
	if it, r := d.Iterations(), d.Requests(); it.Interrupted != 1 || r.Finished != 1 {
		t.Errorf("jmeter drops the rest of an iteration: iterations %+v, requests %+v", it, r)
	}
	d = dryRun(t, "execution: [{scenario: s, hold-for: 1s, executor: apiritif}]"+text, slow(1200*time.Millisecond), nil)
	if it, r := d.Iterations(), d.Requests(); it.Finished != 1 || r.Finished != 2 {
		t.Errorf("apiritif finishes an iteration: iterations %+v, requests %+v", it, r)
	}
}

func TestTasksAreDrawnByWeight(t *testing.T) {
	text := `
execution: [{scenario: s, iterations: 4000}]
scenarios:
  s:
    default-address: http://fake
    tasks:
    - {task: often, weight: 3, requests: [/often]}
    - {task: seldom, requests: [/seldom]}
`
	d := dryRun(t, text, nil, nil)
	if n := d.Label("", "/often").Finished; n < 2900 || n > 3100 {
		t.Errorf("%d of 4000, want some 3000", n)
	}
	if again := dryRun(t, text, nil, nil); again.targets() != d.targets() {
		t.Error("the same seed drew other tasks")
	}
}

func TestSameSeedSendsTheSame(t *testing.T) {
	// Fixed work shared by any number of users is the same multiset of requests.
	sent := func(load string) map[string]int {
		d := dryRun(t, "execution: [{"+load+", total-iterations: 50, scenario: s}]\nscenarios: {s: {default-address: 'http://fake', requests: ['/${__Random(1,1000000)}']}}\n", nil, nil)
		all := map[string]int{}
		for _, h := range d.heads {
			all[strings.Fields(h)[1]]++
		}
		return all
	}
	if diff := cmp.Diff(sent("concurrency: 1"), sent("concurrency: 7")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sent("concurrency: 1"), sent("arrival-rate: 10/s")); diff != "" {
		t.Error(diff)
	}
}

func TestPauseAndResume(t *testing.T) {
	d := dryRun(t, "execution: [{concurrency: 1, hold-for: 5s, scenario: s}]"+oneRequest, slow(300*time.Millisecond), func(e *Engine) {
		time.Sleep(time.Second)
		_ = e.Control(Command{Pause: true})
		time.Sleep(2 * time.Second)
		_ = e.Control(Command{Resume: true})
	})
	for _, at := range d.starts() {
		if at > 1000 && at < 3000 {
			t.Errorf("a request began at %d ms, in the pause", at)
		}
	}
}

func TestUsersAreChangedWhileRunning(t *testing.T) {
	users := 5
	d := dryRun(t, "execution: [{concurrency: 1, hold-for: 4s, scenario: s}]"+oneRequest, slow(900*time.Millisecond), func(e *Engine) {
		time.Sleep(2 * time.Second)
		if err := e.Control(Command{Users: &users}); err != nil {
			t.Error(err)
		}
		if err := e.Control(Command{Execution: "nobody"}); err == nil {
			t.Error("an unknown execution was accepted")
		}
	})
	if diff := cmp.Diff([]int64{0, 2000, 2000, 2000, 2000}, d.firstStarts()); diff != "" {
		t.Error(diff)
	}
}
