package metrics

import (
	"cmp"
	"slices"
)

// Agent is how one process of a distributed run fared in an interval: what it did, and whether it is still there.
type Agent struct {
	Name   string
	Host   string
	Second int64      // that State and the gauges below are of
	State  AgentState // at the end of the interval
	Share  float64    // of the load that it was given, 0…1

	Finished int64 // requests, warm-up left out
	Failed   int64 // of them

	Users           int64   // alive at the end of the interval
	CPUShare        float64 // of its processors, 0…1
	SchedulerLagP99 int64   // ns
}

// AgentState says whether an agent still carries out its share of the load.
type AgentState uint8

// The states.
const (
	AgentRunning AgentState = iota
	AgentEnded              // it has done its share
	AgentLeft               // it was stopped where it ran, before its share was done
	AgentLost               // nothing comes from it any more
	agentStates
)

// String gives the state in one word.
func (s AgentState) String() string { return [...]string{"running", "ended", "left", "lost"}[s] }

// Missing says that a share of the load is not carried out.
func (s AgentState) Missing() bool { return s == AgentLeft || s == AgentLost }

// merge adds the other row of the same agent: counters add up, and the later second's gauges stand.
func (a *Agent) merge(o *Agent) {
	finished, failed := a.Finished+o.Finished, a.Failed+o.Failed
	switch {
	case o.Second > a.Second:
		*a = *o
	case o.Second == a.Second:
		a.Host, a.State, a.Share = max(a.Host, o.Host), max(a.State, o.State), max(a.Share, o.Share)
		a.Users, a.CPUShare, a.SchedulerLagP99 = max(a.Users, o.Users), max(a.CPUShare, o.CPUShare), max(a.SchedulerLagP99, o.SchedulerLagP99)
	}
	a.Finished, a.Failed = finished, failed
}

func (iv *Interval) mergeAgents(agents []Agent) {
	for i := range agents {
		j := slices.IndexFunc(iv.Agents, func(a Agent) bool { return a.Name == agents[i].Name })
		if j < 0 {
			iv.Agents = append(iv.Agents, agents[i])
			continue
		}
		iv.Agents[j].merge(&agents[i])
	}
}

func compareAgents(a, b Agent) int { return cmp.Compare(a.Name, b.Name) }

// AgentSummary is how one agent fared over a run.
type AgentSummary struct {
	Agent                      // counters of the whole run, gauges of its last second
	Since              int64   // second from which on it has been in its State
	CPUShareMax        float64 // 0…1
	SchedulerLagP99Max int64   // ns
}

func (s *Snapshot) addAgents(agents []Agent) {
	for i := range agents {
		a := &agents[i]
		have := s.agents[a.Name]
		if have == nil {
			have = &AgentSummary{Agent: Agent{Name: a.Name, Second: a.Second}, Since: a.Second}
			have.State = a.State
			s.agents[a.Name] = have
		}
		if a.Second >= have.Second && a.State != have.State {
			have.Since = a.Second
		}
		have.merge(a)
		have.CPUShareMax = max(have.CPUShareMax, a.CPUShare)
		have.SchedulerLagP99Max = max(have.SchedulerLagP99Max, a.SchedulerLagP99)
	}
}

// Agents returns the agents of a distributed run, sorted by name; nothing for a run in one process, nor for one of which nothing is known (nil).
func (s *Snapshot) Agents() []AgentSummary {
	if s == nil {
		return nil
	}
	out := make([]AgentSummary, 0, len(s.agents))
	for _, a := range s.agents {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b AgentSummary) int { return compareAgents(a.Agent, b.Agent) })
	return out
}
