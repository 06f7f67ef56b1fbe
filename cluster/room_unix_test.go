//go:build unix

package cluster

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/engine/load"
	"github.com/stacrun/stacrun/metrics"
)

// TestAgentsHaveNoRoom asks for more users than an agent may have connections: they go on with those that they have, and the run tells why.
func TestAgentsHaveNoRoom(t *testing.T) {
	many := load.MaxUsers
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max > uint64(many/4) {
		t.Skip("this process may open any number of files: ", limit.Max, err)
	}
	server := newTarget(t)
	c := newCrew(t, 2, Options{})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	if err := c.Control(engine.Command{Users: &many}); err != nil {
		t.Fatal(err)
	}
	until(t, out, snapshot, func(iv *metrics.Interval) bool {
		for _, e := range iv.Events {
			if e.Kind == "warning" && strings.Contains(e.Text, "there is no room for 10000000 users: the run would need 5000032 file descriptors") {
				return users(iv) == 4
			}
		}
		return false
	})
	c.Stop("enough")
	rest(out, snapshot)
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
}
