package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSnapshotFollowsAgents adds the seconds of two agents, one of which is lost and comes back.
func TestSnapshotFollowsAgents(t *testing.T) {
	s := NewSnapshot()
	for second, b := range []AgentState{AgentRunning, AgentLost, AgentLost, AgentRunning, AgentEnded} {
		s.Add(&Interval{Second: int64(second), Agents: []Agent{
			{Name: "a", Host: "x", Second: int64(second), Share: 0.5, Finished: 10, Users: 3, CPUShare: 0.1 * float64(second)},
			{Name: "b", Host: "y", Second: int64(second), Share: 0.5, State: b, Finished: 1, Failed: 1, SchedulerLagP99: int64(10 - second)},
		}})
	}
	want := []AgentSummary{
		{Agent: Agent{Name: "a", Host: "x", Second: 4, Share: 0.5, Finished: 50, Users: 3, CPUShare: 0.4}, CPUShareMax: 0.4},
		{Agent: Agent{Name: "b", Host: "y", Second: 4, Share: 0.5, State: AgentEnded, Finished: 5, Failed: 5, SchedulerLagP99: 6}, Since: 4, SchedulerLagP99Max: 10},
	}
	if diff := cmp.Diff(want, s.Agents()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !AgentLost.Missing() || !AgentLeft.Missing() || AgentEnded.Missing() {
		t.Error("who is missing?")
	}
}
