package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// finding is one thing that was held against what is known.
type finding struct {
	Case  string  `json:"case"`
	Check string  `json:"check"`
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Unit  string  `json:"unit"`
	Pass  bool    `json:"pass"`
}

// String gives the finding as a line.
func (f finding) String() string {
	word := "pass"
	if !f.Pass {
		word = "FAIL"
	}
	allowed := fmt.Sprintf("%.6g to %.6g", f.Low, f.High)
	if f.Low == f.High {
		allowed = fmt.Sprintf("%.6g", f.Low)
	}
	return fmt.Sprintf("%s  %-11s %-42s %10.6g %s, allowed %s", word, f.Case, f.Check, f.Value, f.Unit, allowed)
}

// truth gathers findings and runs the product.
type truth struct {
	ctx      context.Context
	dir      string
	stacrun  string
	scale    int // per cent of the usual length
	findings []finding
}

// truthCases are the parts, in order.
func truthCases() []struct {
	name string
	run  func(*truth) error
} {
	return []struct {
		name string
		run  func(*truth) error
	}{
		{"percentiles", (*truth).percentiles}, {"stall", (*truth).stall}, {"load", (*truth).load},
		{"totals", (*truth).totals}, {"peers", (*truth).peers},
	}
}

// truthMain holds what stacrun says against what servers know.
func truthMain(ctx context.Context, o options) error {
	rig, err := newRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	t := &truth{ctx: ctx, dir: rig.dir, stacrun: rig.stacrun, scale: o.scale}
	for _, c := range truthCases() {
		if len(o.only) > 0 && !strings.Contains(","+o.only+",", ","+c.name+",") {
			continue
		}
		if err := c.run(t); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", c.name, err), writeJSON(o.json, t.findings))
		}
	}
	failed := 0
	for _, f := range t.findings {
		if !f.Pass {
			failed++
		}
	}
	fmt.Printf("\n%d of %d held\n", len(t.findings)-failed, len(t.findings))
	if err := writeJSON(o.json, t.findings); err != nil {
		return err
	}
	if o.check && failed > 0 {
		return fmt.Errorf("%d findings do not hold", failed)
	}
	return nil
}

// hold notes and prints whether a value lies within its bounds, both included.
func (t *truth) hold(name, check string, value, low, high float64, unit string) {
	f := finding{Case: name, Check: check, Value: value, Low: low, High: high, Unit: unit, Pass: low <= value && value <= high}
	t.findings = append(t.findings, f)
	fmt.Println(f)
}

// equal notes whether two counts are the same.
func (t *truth) equal(name, check string, value, want int64) {
	t.hold(name, check, float64(value), float64(want), float64(want), "")
}

// said is what we read of a summary.json.
type said struct {
	Requests struct {
		Started, Finished, Interrupted, Failed, Exchanges int64
	}
	Iterations struct {
		Scheduled, Started, Finished, Interrupted int64
		Dropped                                   map[string]int64
	}
	Total struct {
		Count    int64
		Service  times `json:"service_ms"`
		Response times `json:"response_ms"`
		Codes    map[string]int64
		Faults   map[string]int64
	}
	Generator struct {
		Lag float64 `json:"lag_p99_ms"` // the worst second's
	}
}

// times are milliseconds.
type times struct{ Min, P50, P90, P95, P99, P999, Max float64 }

// run runs the product on a scenario and reads its summary. Criteria may have failed.
func (t *truth) run(text string) (*said, error) {
	name := filepath.Join(t.dir, "truth.yml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return nil, err
	}
	artifacts := filepath.Join(t.dir, "artifacts")
	out, err := exec.CommandContext(t.ctx, t.stacrun, "run", name, "--quiet", "--artifacts", artifacts, "--overwrite").CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 3) {
		return nil, fmt.Errorf("%w: %s", err, tail(string(out), 600))
	}
	summary, err := os.ReadFile(filepath.Join(artifacts, "summary.json"))
	if err != nil {
		return nil, err
	}
	s := &said{}
	return s, json.Unmarshal(summary, s)
}

// scenario writes a scenario with one request; every sample goes to a file.
func (t *truth) scenario(load, url, request string) string {
	return "execution:\n- scenario: truth\n" + indent(load) + "scenarios:\n  truth:\n    default-address: " + url + "\n    requests:\n    - label: get\n      url: /\n" +
		strings.ReplaceAll(indent(request), "  ", "      ") + "settings: {preflight: false}\nreporting:\n- module: jtl\n  filename: " + t.samples() + "\n"
}

// samples is the file with every sample of the last run.
func (t *truth) samples() string { return filepath.Join(t.dir, "samples.jtl") }

// indent moves lines to where the keys of an execution stand.
func indent(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
