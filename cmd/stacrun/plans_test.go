package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/session"
)

var updatePlans = flag.Bool("update", false, "write the goldens anew, then read the difference")

// TestPlansOfGoodFiles holds the plan of every good file of the language against its golden: what it
// means is one half (config's goldens), what will be done the other.
func TestPlansOfGoodFiles(t *testing.T) {
	names, err := filepath.Glob("../../config/testdata/*.good.yml")
	if err != nil || len(names) < 100 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	seed := uint64(1)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".good.yml"), func(t *testing.T) {
			file, found := config.Load(t.Context(), []string{name}, config.Options{Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)})
			if found.HasErrors() {
				t.Fatal(found)
			}
			a := newApp(t.Context(), &process{stdout: os.Stdout, stderr: os.Stderr}, &cli{})
			options := a.sessionOptions()
			options.Engine.Seed = &seed
			prepared, more := session.Prepare(file, options)
			var got bytes.Buffer
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", " ")
			var plan struct {
				Executions  []engine.ExecutionDescription `json:"executions"`
				Diagnostics []string                      `json:"diagnostics"`
			}
			if !more.HasErrors() {
				plan.Executions = prepared.Plan.Describe().Executions
			}
			for i := range plan.Executions {
				plan.Executions[i].Load = nil // engine's own tests hold the curves
			}
			for _, d := range more {
				plan.Diagnostics = append(plan.Diagnostics, d.Severity.String()+" "+d.Code+": "+d.Message)
			}
			if err := encoder.Encode(plan); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(name, ".good.yml") + ".plan.json"
			if *updatePlans {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
