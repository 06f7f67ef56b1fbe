package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// watchedRun is what a run cost whose progress was shown in some way.
type watchedRun struct {
	Way      string  `json:"way"`
	CPU      float64 `json:"cpu_percent"` // of one core, user and system
	P50      float64 `json:"p50_ms"`
	P99      float64 `json:"p99_ms"`
	Requests int64   `json:"requests"`
}

// consoleLabels is how many labels the watched runs have, consoleTarget the most that the view may cost of one core, in per cent.
const consoleLabels, consoleTarget = 50, 1

// consoleMain holds what a run costs under the live view against the same run with --quiet: same terminal, same load, in turn.
func consoleMain(ctx context.Context, o options) error {
	rig, err := newServedRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	hold := 30 * time.Second * time.Duration(o.scale) / 100
	name := filepath.Join(rig.dir, "console.yml")
	if err := os.WriteFile(name, []byte(consoleScenario(rig.targets[0].plain, o.users[0], hold)), 0o644); err != nil {
		return err
	}
	var runs []watchedRun
	for round := range o.rounds {
		ways := []string{"view", "quiet"}
		if round%2 == 1 {
			slices.Reverse(ways)
		}
		for _, way := range ways {
			run, err := watch(ctx, rig.dir, []string{rig.stacrun, name, "--artifacts", filepath.Join(rig.dir, "artifacts"), "--overwrite"}, way)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
	}
	fmt.Printf("console: %d iterations/s, %d labels, %s on a terminal of 120×40; medians of %d rounds\n", o.users[0], consoleLabels, hold, o.rounds)
	fmt.Printf("%8s %10s %10s %10s\n", "", "CPU", "p50", "p99")
	figures := map[string][3]float64{}
	for _, way := range []string{"quiet", "view"} {
		pick := func(figure func(watchedRun) float64) float64 {
			var values []float64
			for _, r := range runs {
				if r.Way == way {
					values = append(values, figure(r))
				}
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		f := [3]float64{pick(func(r watchedRun) float64 { return r.CPU }), pick(func(r watchedRun) float64 { return r.P50 }), pick(func(r watchedRun) float64 { return r.P99 })}
		figures[way] = f
		fmt.Printf("%8s %9.2f%% %8.3fms %8.3fms\n", way, f[0], f[1], f[2])
	}
	cost := figures["view"][0] - figures["quiet"][0]
	fmt.Printf("the view costs %.2f%% of one core (target: under %d%%)\n", cost, consoleTarget)
	if err := writeJSON(o.json, runs); err != nil {
		return err
	}
	if o.check && cost >= consoleTarget {
		return errors.New("the view costs too much")
	}
	return nil
}

func consoleScenario(address string, rate int, hold time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "execution: [{arrival-rate: %d, hold-for: %s, scenario: s}]\n", rate, hold)
	fmt.Fprintf(&b, "scenarios:\n  s:\n    default-address: http://%s\n    tasks:\n", address)
	for i := range consoleLabels {
		fmt.Fprintf(&b, "    - {task: t%d, requests: [{url: '/1k?n=%d', label: 'GET /collections/%d'}]}\n", i, i, i)
	}
	b.WriteString("settings: {preflight: false}\nreporting: [{module: passfail, criteria: ['p95>1s for 10s', 'fail>10%']}]\n")
	return b.String()
}

// watch runs the product at a terminal and returns what it cost.
func watch(ctx context.Context, dir string, args []string, way string) (watchedRun, error) {
	if way == "quiet" {
		args = append(args, "--quiet")
	}
	screen, program, err := terminal(120, 40)
	if err != nil {
		return watchedRun{}, err
	}
	defer screen.Close()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = program, program, program, seated()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "CI=")
	begun := time.Now()
	err = cmd.Start()
	program.Close()
	if err != nil {
		return watchedRun{}, err
	}
	shown := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(io.Discard, screen) // ends with an error when the program has closed its side
		shown <- n
	}()
	err = cmd.Wait()
	wall := time.Since(begun)
	if n := <-shown; err == nil && way == "view" && n < 10_000 {
		err = fmt.Errorf("%d bytes were drawn: that was no live view", n)
	}
	if err != nil {
		return watchedRun{}, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "artifacts", "summary.json"))
	if err != nil {
		return watchedRun{}, err
	}
	var s said
	if err := json.Unmarshal(text, &s); err != nil {
		return watchedRun{}, err
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return watchedRun{Way: way, CPU: 100 * float64(cpu) / float64(wall), P50: s.Total.Response.P50, P99: s.Total.Response.P99, Requests: s.Total.Count}, nil
}
