package report

import "math"

// Comparison is what runs of a variant show against runs of a baseline.
type Comparison struct {
	Title      string          `json:"title"`
	Baseline   string          `json:"baseline"`
	Variant    string          `json:"variant"`
	Confidence float64         `json:"confidence"` // 0…1
	Rows       []ComparisonRow `json:"-"`          // they stand together, outside
	Times      RunTimes        `json:"times"`
	Artifacts  RunFolders      `json:"artifacts"`
	Notes      []string        `json:"notes"`    // what a reader must know of the figures
	Findings   []string        `json:"findings"` // where the two sides did not do the same
}

// RunTimes are how long equal work took in each run, in seconds.
type RunTimes struct {
	Per      int64     `json:"per"` // requests that the times are for; 0: the whole run
	Baseline []float64 `json:"baseline"`
	Variant  []float64 `json:"variant"`
}

// RunFolders are the folders of the runs of each side, in the order in which they were made.
type RunFolders struct {
	Baseline []string `json:"baseline"`
	Variant  []string `json:"variant"`
}

// AllRequests is the label of the rows over all requests.
const AllRequests = "(all)"

// Effect is what a row of a comparison shows.
type Effect string

// The effects. For a rate more is faster; for failures fewer are.
const (
	Faster   Effect = "faster"
	Slower   Effect = "slower"
	NoEffect Effect = "none" // no difference is shown, which does not mean that there is none
)

// ComparisonRow is one metric of one label: medians over runs, and the median difference with its range.
type ComparisonRow struct {
	Comparison string   `json:"comparison,omitempty"` // title
	Name       string   `json:"variant_name"`
	Label      string   `json:"label"`
	Metric     string   `json:"metric"` // p50, p95, p99, mean (ms), rate (per second), failures (percent of requests)
	Baseline   float64  `json:"baseline"`
	Variant    float64  `json:"variant"`
	Difference *float64 `json:"difference_percent"` // of the baseline; null when that is 0
	Low        *float64 `json:"low_percent"`        // null: no range is known
	High       *float64 `json:"high_percent"`
	Verdict    Effect   `json:"verdict"`
	Runs       int      `json:"runs"` // of the side with fewer
}

// Metrics lists the metrics of a label in order.
func Metrics() []string { return []string{"p50", "p95", "p99", "mean", "rate", "failures"} }

// Relative gives the range as pointers for a row; infinite or cut-off ends are unknown.
func Relative(percent float64) *float64 {
	if math.IsNaN(percent) || math.Abs(percent) >= 1e6 {
		return nil
	}
	percent = math.Round(percent*1e4) / 1e4
	return &percent
}

// Shown counts the rows that show a difference.
func (c *Comparison) Shown() (n int) {
	for _, row := range c.Rows {
		if row.Verdict != NoEffect {
			n++
		}
	}
	return n
}
