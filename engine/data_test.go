package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// The execution ends with the iteration that takes the last row: nothing falls due for which there is none.
func TestLastRowEndsTheExecution(t *testing.T) {
	rows := ""
	for i := range 7 {
		rows += fmt.Sprintf("{id: %d}, ", i)
	}
	scenario := func(source string) string {
		return "\nscenarios: {s: {default-address: 'http://fake', data-sources: [{" + source + ", loop: false}], requests: ['/${id}']}}\n"
	}
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte("id\n0\n1\n2\n3\n4\n5\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A file that says to be too large for memory is streamed.
	large := Options{OpenFile: func(name string) (io.ReadCloser, int64, error) {
		f, err := os.Open(name)
		return f, 1 << 40, err
	}}
	for _, tt := range []struct {
		name, load string
		answer     time.Duration
		want       int64
	}{
		{"arrivals", "arrival-rate: 10/s, hold-for: 5s", time.Millisecond, 7},
		{"arrivals without an end of their own", "arrival-rate: 10/s, total-iterations: 100", 250 * time.Millisecond, 7},
		{"users", "concurrency: 3, hold-for: 5s", 100 * time.Millisecond, 7},
		{"fewer iterations than rows", "concurrency: 3, iterations: 2", 100 * time.Millisecond, 6},
		{"as many", "arrival-rate: 10/s, total-iterations: 7", 100 * time.Millisecond, 7},
	} {
		for name, plan := range map[string]*Plan{
			"rows": compile(t, "execution: [{"+tt.load+", scenario: s}]"+scenario("rows: ["+rows+"]")),
			"file": compileWith(t, "execution: [{"+tt.load+", scenario: s}]"+scenario("path: '"+file+"'"), large),
		} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				d := dryRunOf(t, plan, slow(tt.answer), nil)
				if it := d.Iterations(); it.Finished != tt.want || it.Scheduled != tt.want || it.Interrupted != 0 {
					t.Errorf("%+v, want %d begun and finished, and none dropped", it, tt.want)
				}
			})
		}
	}
}

// Arrivals that wait when the rows are used up have nothing to wait for any more.
func TestNobodyWaitsForRowsThatAreUsedUp(t *testing.T) {
	d := dryRun(t, `
execution: [{arrival-rate: 10/s, hold-for: 60s, max-concurrency: 1, max-wait: 30s, scenario: s}]
scenarios:
  s: {default-address: 'http://fake', data-sources: [{rows: [{id: 1}, {id: 2}, {id: 3}], loop: false}], requests: ['/${id}']}
`, slow(500*time.Millisecond), nil)
	if it := d.Iterations(); it.Started != 3 || it.Dropped != it.Scheduled-3 || d.Dropped()[metrics.DropEnded] != it.Dropped {
		t.Errorf("%+v, dropped %v, want 3 begun and the rest dropped as the data ended", it, d.Dropped())
	}
	if d.took != 1500*time.Millisecond {
		t.Errorf("took %v, want the 1.5 s of three iterations", d.took)
	}
}
