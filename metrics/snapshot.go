package metrics

import (
	"cmp"
	"maps"
	"slices"
)

// Snapshot is the sum of all intervals so far. Intervals may come in any order and from several sources. It is not safe for concurrent use;
// the rows that it returns are valid until the next Add and must not be changed.
type Snapshot struct {
	rows       map[rowKey]*Row         // per execution, measured and warm-up
	byLabel    map[labelKey][]*Row     // the measured ones of a label, one per execution
	merged     map[labelKey]*Row       // over executions, of labels that several have
	executions map[string]*Row         // measured requests
	total      *Row                    // the same over executions
	iterated   map[string]span         // the measured iterations of an execution
	loads      map[string]*Load        //
	peaks      map[string]*peakTracker // users at most, per execution
	errors     map[errorTextKey]int64  // at most maxErrorTexts
	others     int64                   // failures with further texts
	events     []Event                 // at most maxSnapshotEvents
	health     healthSum               //
	agents     map[string]*AgentSummary
	recent     []*Interval // by second, the last RecentSeconds
	first      int64       // second
	last       int64       // second
	intervals  int64       //
	final      bool
}

type labelKey struct {
	kind  Kind
	label string
}

// maxSnapshotEvents bounds the marks of a whole run.
const maxSnapshotEvents = 10_000

// NewSnapshot returns an empty snapshot.
func NewSnapshot() *Snapshot {
	return &Snapshot{
		total:      &Row{},
		rows:       map[rowKey]*Row{},
		byLabel:    map[labelKey][]*Row{},
		merged:     map[labelKey]*Row{},
		executions: map[string]*Row{},
		iterated:   map[string]span{},
		loads:      map[string]*Load{},
		peaks:      map[string]*peakTracker{},
		errors:     map[errorTextKey]int64{},
		agents:     map[string]*AgentSummary{},
	}
}

// Add counts the interval in. The snapshot may keep the interval, which must not be changed afterwards.
func (s *Snapshot) Add(iv *Interval) {
	if s.intervals == 0 {
		s.first, s.last = iv.Second, iv.Second
	}
	s.first, s.last = min(s.first, iv.Second), max(s.last, iv.Second)
	s.intervals++
	s.final = s.final || iv.Final
	for i := range iv.Rows {
		s.addRow(&iv.Rows[i])
	}
	s.total = overExecutions(slices.Collect(maps.Values(s.executions)))
	for i := range iv.Load {
		s.addLoad(&iv.Load[i])
	}
	for _, e := range iv.Errors {
		s.addError(e)
	}
	s.events = append(s.events, iv.Events[:min(len(iv.Events), maxSnapshotEvents-len(s.events))]...)
	s.health.add(&iv.Health)
	s.addAgents(iv.Agents)
	s.addRecent(iv)
}

func (s *Snapshot) addRow(r *Row) {
	if r.Empty() {
		return
	}
	row := s.rows[r.key()]
	fresh := row == nil
	if fresh {
		row = &Row{Execution: r.Execution, Label: r.Label, Kind: r.Kind, WarmUp: r.WarmUp}
		s.rows[row.key()] = row
	}
	row.Merge(r)
	if r.WarmUp {
		return
	}
	key := labelKey{r.Kind, r.Label}
	if fresh {
		s.byLabel[key] = append(s.byLabel[key], row)
	}
	switch m := s.merged[key]; {
	case m != nil:
		m.Merge(r)
	case len(s.byLabel[key]) > 1: // from now on the sum is a row of its own
		s.merged[key] = overExecutions(s.byLabel[key])
	}
	if r.Kind == IterationKind {
		s.iterated[r.Execution] = s.iterated[r.Execution].with(r)
	}
	if r.Kind != RequestKind {
		return
	}
	one := s.executions[r.Execution]
	if one == nil {
		one = &Row{Execution: r.Execution}
		s.executions[r.Execution] = one
	}
	one.Merge(r)
}

// Seconds returns the first and the last second of which there is an interval; false when there is none.
func (s *Snapshot) Seconds() (first, last int64, ok bool) { return s.first, s.last, s.intervals > 0 }

// Final says whether a source announced its last interval.
func (s *Snapshot) Final() bool { return s.final }

// Total is the sum of all measured request rows: no warm-up, no transactions, iterations or embedded resources. Never nil.
func (s *Snapshot) Total() *Row { return s.total }

// overExecutions returns the sum of rows that differ in their execution, and shares what it can with them.
func overExecutions(rows []*Row) *Row {
	if len(rows) == 0 {
		return &Row{}
	}
	if len(rows) == 1 {
		r := *rows[0]
		r.Execution = ""
		return &r
	}
	sum := &Row{Label: rows[0].Label, Kind: rows[0].Kind}
	for _, r := range rows {
		sum.Merge(r)
	}
	return sum
}

// ExecutionTotal is [Snapshot.Total] of one execution; never nil.
func (s *Snapshot) ExecutionTotal(execution string) *Row {
	if r := s.executions[execution]; r != nil {
		return r
	}
	return &Row{Execution: execution}
}

// Executions names the executions that have load or rows, sorted.
func (s *Snapshot) Executions() []string {
	names := map[string]bool{}
	for name := range s.loads {
		names[name] = true
	}
	for key := range s.rows {
		names[key.execution] = true
	}
	out := make([]string, 0, len(names))
	for name := range names {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Rows returns the measured rows merged over executions (Execution is ""), sorted by kind and label.
func (s *Snapshot) Rows() []*Row {
	out := make([]*Row, 0, len(s.byLabel))
	for key := range s.byLabel {
		out = append(out, s.over(key))
	}
	slices.SortFunc(out, compareRows)
	return out
}

// RequestRows is [Snapshot.Rows] limited to requests: together they make the total.
func (s *Snapshot) RequestRows() []*Row {
	return slices.DeleteFunc(s.Rows(), func(r *Row) bool { return r.Kind != RequestKind })
}

// ExecutionRows returns the measured rows per execution, sorted by kind, execution and label.
func (s *Snapshot) ExecutionRows() []*Row { return s.kept(false) }

// WarmUpRows returns the rows of the warm-up per execution, in the same order.
func (s *Snapshot) WarmUpRows() []*Row { return s.kept(true) }

func (s *Snapshot) kept(warmUp bool) []*Row {
	var out []*Row
	for key, r := range s.rows {
		if key.warmUp == warmUp {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, compareRows)
	return out
}

// over returns the row of a label over all executions.
func (s *Snapshot) over(key labelKey) *Row {
	if m := s.merged[key]; m != nil {
		return m
	}
	rows := s.byLabel[key]
	if len(rows) == 0 {
		return nil
	}
	return overExecutions(rows)
}

// Label returns the measured row of a label in one execution, or over all when execution is ""; a request before a transaction, an iteration
// or a resource of the same name. Nil when nothing of it was seen.
func (s *Snapshot) Label(execution, label string) *Row {
	for _, kind := range [...]Kind{RequestKind, TransactionKind, IterationKind, ResourceKind} {
		if execution != "" {
			if r := s.rows[rowKey{execution, label, kind, false}]; r != nil {
				return r
			}
			continue
		}
		if r := s.over(labelKey{kind, label}); r != nil {
			return r
		}
	}
	return nil
}

// WarmUp returns the warm-up row of a label in one execution, or nil.
func (s *Snapshot) WarmUp(execution string, kind Kind, label string) *Row {
	return s.rows[rowKey{execution, label, kind, true}]
}

// Events returns the marks so far in order of time.
func (s *Snapshot) Events() []Event {
	out := slices.Clone(s.events)
	slices.SortStableFunc(out, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return out
}

func (s *Snapshot) addError(e ErrorText) {
	key := errorTextKey{e.Execution, e.Label, e.Fault, e.Code, e.WarmUp, e.Text}
	_, known := s.errors[key]
	if e.Text == OtherErrors || !known && len(s.errors) >= maxErrorTexts {
		s.others += e.Count
		return
	}
	s.errors[key] += e.Count
}

// Errors returns the failure texts, the most frequent first: at most 100 distinct, then "(others)" for the rest.
func (s *Snapshot) Errors() []ErrorText {
	out := make([]ErrorText, 0, len(s.errors)+1)
	for key, n := range s.errors {
		out = append(out, key.counted(n))
	}
	slices.SortFunc(out, func(a, b ErrorText) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), compareErrors(a, b))
	})
	if s.others > 0 {
		out = append(out, ErrorText{Text: OtherErrors, Count: s.others})
	}
	return out
}
