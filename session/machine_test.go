package session

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/reporters/report"
)

// TestMachineIsKept: a run that is read back knows what it was made on, and when it ended.
func TestMachineIsKept(t *testing.T) {
	m := ThisMachine()
	if m.OS == "" || m.Arch == "" || m.Go == "" || m.Processors < 1 || m.Used < 1 {
		t.Errorf("this machine: %+v", m)
	}
	if m.OS == "linux" && (m.Kernel == "" || m.MemoryBytes <= 0 || m.Descriptors <= 0 || m.Ports <= 0) {
		t.Errorf("this Linux: %+v", m)
	}
	dir := filepath.Join(t.TempDir(), "run")
	outcome, _ := Run(t.Context(), prepare(t), RunOptions{Dir: dir, Source: &made{intervals: seconds(3, 1e6, false)}})
	replayed, err := Replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]report.Machine{m}, replayed.Run.Machines); diff != "" {
		t.Error(diff)
	}
	if !replayed.Outcome.Ended.Equal(outcome.Ended) {
		t.Errorf("ended %v, replayed %v", outcome.Ended, replayed.Outcome.Ended)
	}
}

// TestOlderHeader: logs of versions that kept no machine are read, and tell none.
func TestOlderHeader(t *testing.T) {
	var m meta
	if err := json.Unmarshal([]byte(`{"name":"old","started":"2026-03-14T09:00:00Z","executions":[{"name":"e","scenario":"s","open":false,"ends":"after 1m"}],"criteria":null}`), &m); err != nil {
		t.Fatal(err)
	}
	if run := m.run("dir"); run.Machines != nil || run.Name != "old" || len(run.Executions) != 1 {
		t.Errorf("run %+v", run)
	}
}
