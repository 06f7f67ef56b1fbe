package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/stats"
)

// Names of files in the folder of a run.
const (
	logFile     = "intervals.log"
	summaryFile = "summary.json"
)

// Stored are runs that were kept: of one folder, of a baseline, or a summary alone.
type Stored struct {
	Name string
	Runs []StoredRun // at least one, the oldest first

	confidence float64
	whole      bool // only whole runs count as observations, never the seconds within one
}

// StoredRun is one of them.
type StoredRun struct {
	Dir       string
	Name      string // of the run's document
	Started   time.Time
	Scenarios []string
	Intervals []*metrics.Interval // nil when there is a summary only
	figures   criteria.Baseline
	labels    []string
}

// folders are those of the runs, in their order.
func (s *Stored) folders() []string {
	list := make([]string, 0, len(s.Runs))
	for i := range s.Runs {
		list = append(list, s.Runs[i].Dir)
	}
	return list
}

// OpenRuns reads a run's folder, a folder of several runs, a summary.json, or a baseline by its name below root/.stacrun/baselines.
func OpenRuns(root, name string) (*Stored, error) {
	s := &Stored{Name: name, confidence: stats.DefaultConfidence}
	path := name
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\`) {
		path = filepath.Join(root, BaselinesDir, name)
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%q is neither a folder of a run nor a summary.json nor a baseline%s", name, known(root))
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case !info.IsDir():
		run, err := openSummary(path)
		if err != nil {
			return nil, err
		}
		s.Runs = []StoredRun{run}
		return s, nil
	}
	dirs, err := runFolders(path)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		run, err := openRun(dir)
		if err != nil {
			return nil, err
		}
		s.Runs = append(s.Runs, run)
	}
	if len(s.Runs) == 0 {
		return nil, fmt.Errorf("folder %s holds no run: neither %s nor %s is there", path, logFile, summaryFile)
	}
	slices.SortStableFunc(s.Runs, func(a, b StoredRun) int { return a.Started.Compare(b.Started) })
	return s, nil
}

func known(root string) string {
	names, _ := Baselines(root)
	if len(names) == 0 {
		return "; there are no baselines yet, \"stacrun baseline save NAME\" makes one"
	}
	return "; baselines are " + strings.Join(names, ", ")
}

// runFolders are dir itself when it holds a run, else its folders that do.
func runFolders(dir string) (dirs []string, err error) {
	if holdsRun(dir) {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	for _, e := range entries {
		if sub := filepath.Join(dir, e.Name()); e.IsDir() && holdsRun(sub) {
			dirs = append(dirs, sub)
		}
	}
	return dirs, nil
}

func holdsRun(dir string) bool {
	for _, name := range []string{logFile, summaryFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// openRun reads the interval log of a run, or its summary where there is no log.
func openRun(dir string) (StoredRun, error) {
	f, err := os.Open(filepath.Join(dir, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		return openSummary(filepath.Join(dir, summaryFile))
	}
	if err != nil {
		return StoredRun{}, fmt.Errorf("read the run: %w", err)
	}
	defer f.Close()
	header, intervals, err := metrics.ReadLog(f)
	if err != nil {
		return StoredRun{}, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	var meta struct {
		Name       string    `json:"name"`
		Started    time.Time `json:"started"`
		Executions []struct {
			Scenario string `json:"scenario"`
		} `json:"executions"`
	}
	if err := json.Unmarshal(header.Run, &meta); err != nil {
		return StoredRun{}, fmt.Errorf("read the header of %s: %w", f.Name(), err)
	}
	run := StoredRun{Dir: dir, Name: meta.Name, Started: meta.Started, Intervals: intervals, figures: criteria.NewStored(intervals)}
	for _, x := range meta.Executions {
		run.Scenarios = append(run.Scenarios, x.Scenario)
	}
	run.labels = labelsOf(intervals)
	if len(run.labels) == 0 {
		return StoredRun{}, fmt.Errorf("the run in %s has no finished request that counts", dir)
	}
	return run, nil
}

// labelsOf lists the labels of measured requests.
func labelsOf(intervals []*metrics.Interval) (labels []string) {
	seen := map[string]bool{}
	for _, iv := range intervals {
		for i := range iv.Rows {
			if r := &iv.Rows[i]; !r.WarmUp && r.Kind == metrics.RequestKind && r.Finished > 0 && !seen[r.Label] {
				seen[r.Label] = true
				labels = append(labels, r.Label)
			}
		}
	}
	slices.Sort(labels)
	return labels
}

// Labels lists the request labels of all runs.
func (s *Stored) Labels() (labels []string) {
	for _, run := range s.Runs {
		labels = append(labels, run.labels...)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// values are a figure of every run that has it.
func (s *Stored) values(subject string, percent bool, execution, label string) (values []float64) {
	for _, run := range s.Runs {
		if v, ok := run.figures.Value(subject, percent, execution, label); ok {
			values = append(values, v)
		}
	}
	return values
}

var (
	_ criteria.Baseline = (*Stored)(nil)
	_ criteria.Spread   = (*Stored)(nil)
)

// Value implements [criteria.Baseline]: the median over the runs.
func (s *Stored) Value(subject string, percent bool, execution, label string) (float64, bool) {
	values := s.values(subject, percent, execution, label)
	if len(values) == 0 {
		return 0, false
	}
	return median(values), true
}

// Spread implements [criteria.Spread]: where one more run would lie with 95 % confidence. It takes three runs; of two it is the
// range between them, and one has none.
func (s *Stored) Spread(subject string, percent bool, execution, label string) (low, high float64, ok bool) {
	values := s.values(subject, percent, execution, label)
	if len(values) < 2 {
		return 0, 0, false
	}
	p, err := stats.Prediction(values, s.confidence)
	if err != nil {
		return slices.Min(values), slices.Max(values), true
	}
	return max(p.Low, 0), p.High, true
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
