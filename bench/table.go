package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// spread is a median with its range.
type spread struct{ low, median, high float64 }

func (s spread) String() string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.low, s.high)
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	slices.Sort(values)
	n := len(values)
	return spread{values[0], (values[(n-1)/2] + values[n/2]) / 2, values[n-1]}
}

// of collects a figure of one tool over the rounds in which it made requests without an error.
func of(results []result, tool string, figure func(result) float64) []float64 {
	var values []float64
	for _, r := range results {
		if r.Tool == tool && r.Error == "" && r.Requests > 0 {
			values = append(values, figure(r))
		}
	}
	return values
}

// ratios gives one tool's cost over another's, each within its round.
func ratios(results []result, tool, base string) []float64 {
	bases := map[int]float64{}
	for _, r := range results {
		if r.Tool == base && r.Error == "" {
			bases[r.Round] = r.perRequest()
		}
	}
	var values []float64
	for _, r := range results {
		if b := bases[r.Round]; r.Tool == tool && r.Error == "" && b > 0 {
			values = append(values, r.perRequest()/b)
		}
	}
	return values
}

// printTable prints a case and reports whether stacrun held its targets.
func printTable(w io.Writer, work workload, users int, server string, tools []tool, results []result) bool {
	base := "wrk"
	if len(of(results, base, result.perRequest)) == 0 {
		base = tools[0].name
	}
	fmt.Fprintf(w, "\n%s: %s; %d users against %s\n", work.Name, work.About, users, server)
	fmt.Fprintf(w, "%-12s %9s %21s %19s %12s %10s %8s\n", "", "requests", "CPU µs per request", "× "+base, "start-up ms", "per second", "peak MB")
	for _, t := range tools {
		cost := of(results, t.name, result.perRequest)
		if len(cost) == 0 {
			fmt.Fprintf(w, "%-12s %9s\n", t.name, "–")
			continue
		}
		median := func(figure func(result) float64) float64 { return spreadOf(of(results, t.name, figure)).median }
		c, x := spreadOf(cost), spreadOf(ratios(results, t.name, base))
		fmt.Fprintf(w, "%-12s %9.0f %21s %19s %12.0f %10.0f %8.1f\n", t.name,
			median(func(r result) float64 { return float64(r.Requests) }), c, x,
			median(func(r result) float64 { return float64(r.StartUp) / 1e6 }),
			median(func(r result) float64 { return float64(r.Requests) / r.Wall.Seconds() }),
			median(func(r result) float64 { return float64(r.PeakKB) / 1024 }))
	}
	held := true
	for _, t := range tools {
		must, ok := work.Against[t.name]
		values := ratios(results, "stacrun", t.name)
		if !ok || len(values) == 0 {
			continue
		}
		x, word := spreadOf(values), "held"
		if x.median > must {
			held, word = false, "MISSED"
		}
		fmt.Fprintf(w, "stacrun / %-10s %s, target ≤ %.2f: %s\n", t.name, x, must, word)
	}
	return held
}

// writeJSON writes the figures with the machine they were taken on; an empty name writes nothing.
func writeJSON(name string, results any) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(map[string]any{
		"machine": map[string]any{"os": runtime.GOOS, "arch": runtime.GOARCH, "processors": runtime.NumCPU(), "model": cpuModel(), "go": runtime.Version()},
		"command": strings.Join(os.Args[1:], " "),
		"results": results,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// cpuModel gives the processor's name where Linux tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
