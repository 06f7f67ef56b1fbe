package metrics

import (
	"slices"
	"time"
)

// MinWindow is the shortest measured window of which a rate is told.
const MinWindow = 100 * time.Millisecond

// Window returns the measured window in ns since the start of the run: the time in which there was load, warm-up and drain excluded.
// It begins with the schedule of the first measured request. It ends when the plan was over or the run was stopped, whether
// anything was answered until then or not; where users end by themselves, with the end of the last request or
// iteration; and in a run that goes on, with its last second. False when no measured request finished.
func (s *Snapshot) Window() (start, end int64, ok bool) {
	if s.total.Finished == 0 {
		return 0, 0, false
	}
	w := span{}
	for name, r := range s.executions {
		w = w.and(span{r.FirstStart, s.loadEnd(name, r.FirstStart), true})
	}
	return w.start, w.end, w.known
}

// window is that of the executions: from the first of them that begins to the last that ends. Unknown when nothing of them was measured.
func (s *Snapshot) window(executions []string) (w span) {
	for _, name := range executions {
		if r := s.executions[name]; r != nil && r.Finished > 0 {
			w = w.and(span{r.FirstStart, s.loadEnd(name, r.FirstStart), true})
		} else if i := s.iterated[name]; i.known { // of requests whose labels are ignored
			w = w.and(span{i.start, s.loadEnd(name, i.start), true})
		}
	}
	return w
}

// loadEnd is when the execution's load, of which the first measured part began at first, ended, in ns since the start of the run.
func (s *Snapshot) loadEnd(execution string, first int64) int64 {
	if l := s.loads[execution]; l != nil && l.DrainFrom > first {
		return l.DrainFrom
	}
	last := s.iterated[execution].end // a user may pause behind its last request
	if r := s.executions[execution]; r != nil {
		last = max(last, r.LastEnd)
	}
	if !s.final {
		last = max(last, (s.last+1)*int64(time.Second))
	}
	return last
}

// span is a part of a run, in ns since its start.
type span struct {
	start, end int64
	known      bool
}

// and reaches over both.
func (a span) and(b span) span {
	switch {
	case !a.known:
		return b
	case !b.known:
		return a
	}
	return span{min(a.start, b.start), max(a.end, b.end), true}
}

// with reaches over the row's samples too.
func (a span) with(r *Row) span { return a.and(span{r.FirstStart, r.LastEnd, true}) }

// Rate is the row's finished samples per second of the measured window of its execution; of a row over several executions, of the
// window that they have together. The row is one that this snapshot gave out. False when the window is too short to tell.
func (s *Snapshot) Rate(r *Row) (perSecond float64, ok bool) {
	switch {
	case r == s.total:
		return s.PerSecond(r.Finished)
	case r.Execution != "":
		return s.PerSecond(r.Finished, r.Execution)
	}
	rows := s.byLabel[labelKey{r.Kind, r.Label}]
	executions := make([]string, len(rows))
	for i, one := range rows {
		executions[i] = one.Execution
	}
	return s.PerSecond(r.Finished, executions...)
}

// PerSecond divides a count by the measured window of the executions, of the whole run when none is named or nothing of these was
// measured; false when the window is too short to tell.
func (s *Snapshot) PerSecond(n int64, executions ...string) (float64, bool) {
	w := s.window(executions)
	if !w.known {
		w.start, w.end, _ = s.Window()
	}
	if w.end-w.start < int64(MinWindow) {
		return 0, false
	}
	return float64(n) / (float64(w.end-w.start) / float64(time.Second)), true
}

// RecentSeconds is how far back [Snapshot.Recent] can look. With a thousand labels a second takes some 2 MB.
const RecentSeconds = 15

// addRecent keeps the interval, merged with those of other sources of the same second.
func (s *Snapshot) addRecent(iv *Interval) {
	if iv.Second <= s.last-RecentSeconds {
		return
	}
	at, found := slices.BinarySearchFunc(s.recent, iv.Second, func(have *Interval, second int64) int {
		return int(have.Second - second)
	})
	if found {
		both := s.recent[at].Clone()
		both.Merge(iv)
		s.recent[at] = both
	} else {
		s.recent = slices.Insert(s.recent, at, iv)
	}
	old := 0
	for old < len(s.recent) && s.recent[old].Second <= s.last-RecentSeconds {
		old++
	}
	s.recent = slices.Delete(s.recent, 0, old)
}

// Recent is the view of the last seconds of a run.
type Recent struct {
	Seconds int64 // whole seconds that it covers
	Total   *Row  // measured requests
	Rows    []*Row
}

// Recent sums up the last n seconds (at most [RecentSeconds]), fewer when the run is younger. Its rows are merged over executions
// and sorted like those of [Snapshot.Rows]; they belong to the caller. Warm-up is left out unless warmUp is set.
func (s *Snapshot) Recent(n int, warmUp bool) Recent {
	if s.intervals == 0 || n <= 0 {
		return Recent{Total: &Row{}}
	}
	n = min(n, RecentSeconds)
	from := max(s.last-int64(n)+1, s.first)
	out := Recent{Seconds: s.last - from + 1, Total: &Row{}}
	at := map[labelKey]*Row{}
	for _, iv := range s.recent {
		if iv.Second < from {
			continue
		}
		for i := range iv.Rows {
			r := &iv.Rows[i]
			if r.WarmUp && !warmUp {
				continue
			}
			key := labelKey{r.Kind, r.Label}
			if at[key] == nil {
				at[key] = &Row{Label: r.Label, Kind: r.Kind}
				out.Rows = append(out.Rows, at[key])
			}
			at[key].Merge(r)
			if r.Kind == RequestKind {
				out.Total.Merge(r)
			}
		}
	}
	slices.SortFunc(out.Rows, compareRows)
	return out
}

// Rate is the row's finished samples per second; 0 when nothing was covered.
func (r Recent) Rate(row *Row) float64 {
	if r.Seconds == 0 {
		return 0
	}
	return float64(row.Finished) / float64(r.Seconds)
}

// Second returns the interval of that second, merged over sources, if it is one of the last [RecentSeconds]; else nil.
func (s *Snapshot) Second(second int64) *Interval {
	for _, iv := range s.recent {
		if iv.Second == second {
			return iv
		}
	}
	return nil
}
