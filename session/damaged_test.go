package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What stands before a damage is told, with an error; nothing at all is told of a log whose first interval is damaged.
func TestReplayOfADamagedLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	Run(t.Context(), prepare(t), RunOptions{Dir: dir, Source: &made{intervals: seconds(60, 1e6, false)}})
	name := filepath.Join(dir, LogFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	header := strings.Index(string(whole), "}}") // the header is JSON, and what follows it is not
	for _, tt := range []struct {
		name string
		at   int
		want bool
	}{{"in its midst", len(whole) * 3 / 4, true}, {"at its beginning", header / 2, false}} {
		t.Run(tt.name, func(t *testing.T) {
			text := append([]byte{}, whole...)
			text[tt.at] ^= 0xff
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			replayed, err := Replay(dir)
			if !tt.want {
				if err == nil {
					t.Error("no error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			n := len(replayed.Intervals)
			if n == 0 || n >= 60 || replayed.Damaged == nil || replayed.Complete {
				t.Errorf("%d intervals, damaged %v, complete %v", n, replayed.Damaged, replayed.Complete)
			}
			if got := replayed.Outcome.Snapshot.Total().Finished; got != int64(n) {
				t.Errorf("%d requests in %d intervals of one each", got, n)
			}
			if told := replayed.Outcome.Errors; len(told) == 0 || !strings.Contains(told[len(told)-1], "is damaged at byte") {
				t.Errorf("errors %q", told)
			}
		})
	}
}
