package study

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
)

// TestFoldersOfRuns measures addresses and compares sides whose names give the same folder: no run takes the folder of another.
func TestFoldersOfRuns(t *testing.T) {
	runner := func() *fakeRunner {
		return &fakeRunner{make: func(*config.File, int) (Result, error) { return steady(1, 10, 1e6), nil }}
	}
	apart := func(t *testing.T, r *fakeRunner, want int) {
		t.Helper()
		var dirs []string
		for _, run := range r.runs {
			if dir := strings.ToLower(run.Dir); !slices.Contains(dirs, dir) { // there are file systems to which case is nothing
				dirs = append(dirs, dir)
			}
		}
		if len(r.runs) != want || len(dirs) != want {
			t.Errorf("%d runs in %d folders, want %d: %v", len(r.runs), len(dirs), want, r.runs)
		}
	}
	t.Run("sweep", func(t *testing.T) {
		r, o := runner(), sweepOptions()
		o.Addresses, o.WarmUp = []string{"http://a:1", "https://a:1", "http://a:1/x", "http://a:1-x"}, o.RunTime
		if _, err := RunSweep(context.Background(), mustLoad(t, searchDocument), r, o); err != nil {
			t.Fatal(err)
		}
		apart(t, r, 4*3)
	})
	t.Run("comparison", func(t *testing.T) {
		r, o := runner(), compareOptions()
		o.Repeats = 1
		pair := Pair{Baseline: sideOf(t, "a", searchDocument)}
		for _, name := range []string{"a", "A", "日本", "大阪", ""} {
			side := sideOf(t, "b", searchDocument)
			side.Name = name
			pair.Variants = append(pair.Variants, side)
		}
		if _, err := RunCompare(context.Background(), r, []Pair{pair}, o); err != nil {
			t.Fatal(err)
		}
		apart(t, r, 6)
	})
}
