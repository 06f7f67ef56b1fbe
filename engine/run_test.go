package engine

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
)

// load reads a document the way the command does.
func loadFile(t testing.TB, text string) *config.File {
	t.Helper()
	file, list := config.Load(context.Background(), nil, config.Options{
		Documents: []config.Document{{Name: "run.yml", Text: []byte(text)}}, Now: time.Now(),
	})
	if list.HasErrors() {
		t.Fatalf("load: %s", describe(list))
	}
	return file
}

func describe(list diag.List) string {
	text := ""
	for _, d := range list {
		text += fmt.Sprintf("%s: %s: %s (%s)\n", d.Severity, d.Code, d.Error(), d.Hint)
	}
	return text
}

func compile(t testing.TB, text string) *Plan {
	t.Helper()
	return compileWith(t, text, Options{})
}

func compileWith(t testing.TB, text string, opts Options) *Plan {
	t.Helper()
	seed := uint64(1)
	opts.Seed, opts.Version = &seed, "test"
	plan, list := Compile(loadFile(t, text), opts)
	if list.HasErrors() {
		t.Fatalf("compile: %s", describe(list))
	}
	return plan
}

// runPlan runs a plan to its end and adds up what it gave.
func runPlan(t testing.TB, plan *Plan, opts RunOptions) *metrics.Snapshot {
	t.Helper()
	e := New(plan, opts)
	snap, err := runEngine(t, e)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func runEngine(t testing.TB, e *Engine) (*metrics.Snapshot, error) {
	t.Helper()
	out, err := e.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	snap := metrics.NewSnapshot()
	var last *metrics.Interval
	for iv := range out {
		snap.Add(iv)
		last = iv
	}
	if last == nil || !last.Final {
		t.Error("the last interval is not marked as final")
	}
	if err := snap.Reconcile(); err != nil {
		t.Error(err)
	}
	return snap, e.Err()
}

func TestPlainRun(t *testing.T) {
	var served atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served.Add(1) }))
	defer srv.Close()
	plan := compile(t, fmt.Sprintf(`
execution: [{concurrency: 3, iterations: 5, scenario: s}]
scenarios: {s: {default-address: %q, requests: [/a, {url: /b, label: second}]}}
`, srv.URL))
	snap := runPlan(t, plan, RunOptions{})
	if total := snap.Total(); total.Finished != 30 || total.Failed != 0 || total.Exchanges != served.Load() || served.Load() != 30 {
		t.Errorf("finished %d, failed %d, exchanges %d, served %d", total.Finished, total.Failed, total.Exchanges, served.Load())
	}
}
