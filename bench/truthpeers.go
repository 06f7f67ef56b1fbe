package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// paced is what a constant-rate tool says of a server, in milliseconds.
type paced struct{ P50, P99 float64 }

// peers compares percentiles at a constant rate with those of vegeta and of a plain loop that counts from the schedule, in
// interleaved rounds against a server whose delays are the same for all.
func (t *truth) peers() error {
	const rate = 200
	lasts := time.Duration(max(5*t.scale/100, 2)) * time.Second
	// Delays follow an exponential distribution of 5 ms, taken at evenly spread ranks, so that no tool is lucky.
	act := func(n int64, _ time.Duration) (answer, time.Duration) {
		_, u := math.Modf(float64(n) * math.Phi)
		return complete, time.Duration(-math.Log(1-u*0.9999) * 5e6)
	}
	tools := []struct {
		name string
		run  func(url string) (paced, error)
	}{
		{"stacrun", func(url string) (paced, error) {
			s, err := t.run(t.scenario(fmt.Sprintf("arrival-rate: %d\nhold-for: %s\nmax-concurrency: 50", rate, lasts), url, ""))
			if err != nil {
				return paced{}, err
			}
			return paced{s.Total.Response.P50, s.Total.Response.P99}, nil
		}},
		{"loop", func(url string) (paced, error) {
			return t.child("pace", "-rate", fmt.Sprint(rate), "-for", lasts.String(), "-url", url)
		}},
		{"vegeta", func(url string) (paced, error) { return t.vegeta(url, rate, lasts) }},
	}
	if _, err := exec.LookPath("vegeta"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: vegeta is not on PATH, left out")
		tools = tools[:2]
	}
	said := map[string][]paced{}
	for range 7 { // fewer runs spread less than the tools do
		for _, tool := range tools {
			w, err := newWitness(act)
			if err != nil {
				return err
			}
			p, err := tool.run(w.url())
			_ = w.end()
			if err != nil {
				return fmt.Errorf("%s: %w", tool.name, err)
			}
			said[tool.name] = append(said[tool.name], p)
		}
	}
	for _, tool := range tools[1:] {
		for _, p := range []struct {
			name string
			of   func(paced) float64
		}{{"p50", func(p paced) float64 { return p.P50 }}, {"p99", func(p paced) float64 { return p.P99 }}} {
			ours, theirs := spreadBy(said["stacrun"], p.of), spreadBy(said[tool.name], p.of)
			own := ours.high - ours.low + theirs.high - theirs.low
			t.hold("peers", p.name+" as "+tool.name+" says, within both spreads", ours.median, max(0, theirs.low-own), theirs.high+own, "ms")
		}
	}
	return nil
}

func spreadBy(list []paced, of func(paced) float64) spread {
	var values []float64
	for _, p := range list {
		values = append(values, of(p))
	}
	return spreadOf(values)
}

// child runs a verb of this program and reads what it says.
func (t *truth) child(args ...string) (p paced, err error) {
	self, err := os.Executable()
	if err != nil {
		return p, err
	}
	out, err := exec.CommandContext(t.ctx, self, args...).Output()
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(out, &p)
}

func (t *truth) vegeta(url string, rate int, lasts time.Duration) (p paced, err error) {
	targets, results := filepath.Join(t.dir, "targets"), filepath.Join(t.dir, "vegeta.out")
	if err := os.WriteFile(targets, []byte("GET "+url+"/\n"), 0o644); err != nil {
		return p, err
	}
	out, err := exec.CommandContext(t.ctx, "vegeta", "attack", fmt.Sprint("-rate=", rate), "-duration="+lasts.String(), "-targets="+targets, "-output="+results).CombinedOutput()
	if err != nil {
		return p, fmt.Errorf("%w: %s", err, tail(string(out), 300))
	}
	if out, err = exec.CommandContext(t.ctx, "vegeta", "report", "-type=json", results).Output(); err != nil {
		return p, err
	}
	var report struct {
		Latencies struct {
			P50 float64 `json:"50th"`
			P99 float64 `json:"99th"`
		}
	}
	err = json.Unmarshal(out, &report)
	return paced{report.Latencies.P50 / 1e6, report.Latencies.P99 / 1e6}, err
}

// paceMain is the loop that measures as wrk2 does: a constant rate, and latencies from when a request was due. It runs as a
// process of its own and prints its percentiles.
func paceMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("pace", flag.ContinueOnError)
	rate := f.Int("rate", 100, "requests per second")
	lasts := f.Duration("for", time.Second, "how long")
	url := f.String("url", "", "where to")
	if err := f.Parse(args); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	var mu sync.Mutex
	var took []time.Duration
	var wg sync.WaitGroup
	begun := time.Now()
	for k := range int(float64(*rate) * lasts.Seconds()) {
		due := begun.Add(time.Duration(k) * time.Second / time.Duration(*rate))
		sleepUntil(due)
		wg.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, *url, nil)
			if err != nil {
				return
			}
			resp, err := client.Do(req)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(due))
		})
	}
	wg.Wait()
	if len(took) == 0 {
		return fmt.Errorf("no answer from %s", *url)
	}
	slices.Sort(took)
	return json.NewEncoder(os.Stdout).Encode(paced{ms(rank(took, 50)), ms(rank(took, 99))})
}
