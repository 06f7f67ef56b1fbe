package metrics

import (
	"cmp"
	"slices"
)

// Merge adds the other interval, which is not changed and shares nothing with iv afterwards. It is commutative and
// associative. The result is of the later second; it has a source only if both come from the same one.
func (iv *Interval) Merge(o *Interval) {
	if iv.Source != o.Source {
		iv.Source = ""
	}
	iv.Second = max(iv.Second, o.Second)
	iv.Sequence = max(iv.Sequence, o.Sequence)
	iv.Final = iv.Final || o.Final
	iv.Health.merge(&o.Health)
	iv.mergeRows(o.Rows)
	iv.mergeLoads(o.Load)
	iv.mergeErrors(o.Errors)
	iv.Events = append(iv.Events, o.Events...)
	iv.mergeAgents(o.Agents)
	iv.Sort()
}

// Clone returns an independent copy.
func (iv *Interval) Clone() *Interval {
	c := *iv
	c.Rows = make([]Row, len(iv.Rows))
	for i := range iv.Rows {
		c.Rows[i] = *iv.Rows[i].Clone()
	}
	c.Load, c.Errors, c.Events = slices.Clone(iv.Load), slices.Clone(iv.Errors), slices.Clone(iv.Events)
	c.Agents = slices.Clone(iv.Agents)
	return &c
}

// Row returns the measured row of that execution, kind and label, or nil.
func (iv *Interval) Row(execution string, kind Kind, label string) *Row {
	for i := range iv.Rows {
		if r := &iv.Rows[i]; r.Label == label && r.Execution == execution && r.Kind == kind && !r.WarmUp {
			return r
		}
	}
	return nil
}

// Total returns the sum of the measured request rows of one execution, of all when it is "".
func (iv *Interval) Total(execution string) *Row {
	total := &Row{Execution: execution}
	for i := range iv.Rows {
		if r := &iv.Rows[i]; r.Kind == RequestKind && !r.WarmUp && (execution == "" || r.Execution == execution) {
			total.Merge(r)
		}
	}
	return total
}

// Sort brings rows, loads, errors and events into the one order in which they are written.
func (iv *Interval) Sort() {
	sortRows(iv.Rows)
	slices.SortFunc(iv.Load, func(a, b Load) int { return cmp.Compare(a.Execution, b.Execution) })
	slices.SortFunc(iv.Errors, compareErrors)
	slices.SortFunc(iv.Agents, compareAgents)
	slices.SortFunc(iv.Events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
}

func (iv *Interval) mergeRows(rows []Row) {
	at := make(map[rowKey]int, len(iv.Rows)+len(rows))
	for i := range iv.Rows {
		at[iv.Rows[i].key()] = i
	}
	for i := range rows {
		if j, ok := at[rows[i].key()]; ok {
			iv.Rows[j].Merge(&rows[i])
			continue
		}
		at[rows[i].key()] = len(iv.Rows)
		iv.Rows = append(iv.Rows, *rows[i].Clone())
	}
}

func (iv *Interval) mergeLoads(loads []Load) {
	for i := range loads {
		j := slices.IndexFunc(iv.Load, func(l Load) bool { return l.Execution == loads[i].Execution })
		if j < 0 {
			iv.Load = append(iv.Load, loads[i])
			continue
		}
		iv.Load[j].Merge(&loads[i])
	}
}

// Merge adds the other load of the same execution. Counters add up always; gauges add up within one second, as sources
// share the load between them, and otherwise the later second's stand.
func (l *Load) Merge(o *Load) {
	switch {
	case o.Second > l.Second:
		l.Second, l.Planned, l.Users, l.UsersPeak, l.WarmingUp = o.Second, o.Planned, o.Users, o.UsersPeak, o.WarmingUp
	case o.Second == l.Second:
		l.Planned += o.Planned
		l.Users += o.Users
		l.UsersPeak += o.UsersPeak
		l.WarmingUp = l.WarmingUp || o.WarmingUp
	}
	l.Open = l.Open || o.Open
	l.add(o.Whole(), 1)
	l.DrainFrom = max(l.DrainFrom, o.DrainFrom)
	l.WarmUp.merge(&o.WarmUp)
}

// merge keeps the worst of both; CPU seconds and connections that were not made add up.
func (h *Health) merge(o *Health) {
	h.CPUSeconds += o.CPUSeconds
	h.CPUShare = max(h.CPUShare, o.CPUShare)
	h.SchedulerLagP99 = max(h.SchedulerLagP99, o.SchedulerLagP99)
	h.GCPauseMax = max(h.GCPauseMax, o.GCPauseMax)
	h.GCShare = max(h.GCShare, o.GCShare)
	h.PacerLateP99 = max(h.PacerLateP99, o.PacerLateP99)
	h.CollectorLag = max(h.CollectorLag, o.CollectorLag)
	h.Goroutines = max(h.Goroutines, o.Goroutines)
	h.Descriptors = max(h.Descriptors, o.Descriptors)
	h.DescriptorLimit = max(h.DescriptorLimit, o.DescriptorLimit)
	h.MemoryBytes = max(h.MemoryBytes, o.MemoryBytes)
	h.NoDescriptor += o.NoDescriptor
	h.NoPort += o.NoPort
	h.Stall = max(h.Stall, o.Stall)
}

func compareErrors(a, b ErrorText) int {
	return cmp.Or(
		cmp.Compare(a.Execution, b.Execution), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Fault, b.Fault),
		cmp.Compare(a.Code, b.Code), compareBools(a.WarmUp, b.WarmUp), cmp.Compare(a.Text, b.Text),
	)
}

func (iv *Interval) mergeErrors(errors []ErrorText) {
	for _, e := range errors {
		j := slices.IndexFunc(iv.Errors, func(have ErrorText) bool { return compareErrors(have, e) == 0 })
		if j < 0 {
			iv.Errors = append(iv.Errors, e)
			continue
		}
		iv.Errors[j].Count += e.Count
	}
}
