package config

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with a file, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (run: go test ./config -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; if it is meant: go test ./config -update):\n%s", name, diff)
	}
}

func loadGolden(name string) (*File, diag.List, string) {
	file, diags := Load(context.Background(), []string{filepath.Join("testdata", name)}, Options{
		Now:    time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC),
		Getenv: func(string) (string, bool) { return "", false },
	})
	var b strings.Builder
	_ = diag.Render(&b, diags, file.Sources)
	return file, diags, filepath.ToSlash(b.String())
}

func goldenFiles(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	for i := range found {
		found[i] = filepath.Base(found[i])
	}
	return found
}

// TestBad loads every *.bad.yml: its diagnostics as recorded, in file order, each with a place and a hint.
func TestBad(t *testing.T) {
	for _, name := range goldenFiles(t, "*.bad.yml") {
		t.Run(name, func(t *testing.T) {
			_, diags, text := loadGolden(name)
			if !diags.HasErrors() {
				t.Error("no error was found")
			}
			for _, d := range diags {
				if !d.Pos.Known() || d.Hint == "" && d.Severity == diag.Error {
					t.Errorf("no place or no hint: %+v", d)
				}
			}
			golden(t, filepath.Join("testdata", strings.TrimSuffix(name, ".yml")+".diagnostics"), text)
		})
	}
}
