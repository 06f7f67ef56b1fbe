package report

import (
	"slices"
	"time"
)

// Sweep is what a study over addresses and numbers of users has measured. Its JSON form is sweep.json.
type Sweep struct {
	Name        string     `json:"name"` // of the document
	Started     time.Time  `json:"started"`
	Version     string     `json:"version"`
	Document    string     `json:"document"`   // digest of the document without the axes
	RunTimeS    float64    `json:"run_time_s"` // of each run, its ramp included
	SpawnRate   float64    `json:"spawn_rate"` // users per second
	WarmUpS     float64    `json:"warm_up_s"`
	APIs        []string   `json:"apis"` // the axes
	Users       []int      `json:"users"`
	Interrupted bool       `json:"interrupted"`
	Findings    []string   `json:"findings"` // where the backends' answers differ
	Rows        []SweepRow `json:"rows"`
}

// SweepRow is one run of a sweep. Times and rates are of finished requests; all are 0 when there was none.
type SweepRow struct {
	API              string  `json:"api"`
	Users            int     `json:"users"`
	Requests         int64   `json:"requests"` // finished
	Failures         int64   `json:"failures"`
	MedianMS         float64 `json:"median_ms"`
	P95MS            float64 `json:"p95_ms"`
	P99MS            float64 `json:"p99_ms"`
	RPS              float64 `json:"rps"` // mean over the run, its ramp included
	MeanMS           float64 `json:"mean_ms"`
	MinMS            float64 `json:"min_ms"`
	MaxMS            float64 `json:"max_ms"`
	DurationS        float64 `json:"duration_s"`
	BytesReceived    int64   `json:"bytes_received"`
	GeneratorCPU     float64 `json:"generator_cpu_percent"` // mean, of the processors that it may use
	GeneratorLimited bool    `json:"generator_limited"`     // the figures are the generator's limit, not the server's
	GeneratorReason  string  `json:"generator_reason"`
	Outcome          Result  `json:"outcome"`
	Error            string  `json:"error"`     // why there are no figures, or why the run failed
	Artifacts        string  `json:"artifacts"` // folder of the run
}

// Complete tells whether the row needs no further run.
func (r *SweepRow) Complete() bool { return r.Outcome == ResultPassed || r.Outcome == ResultFailed }

// FailedPercent is the share of the requests that failed, in percent; 0 without any.
func (r *SweepRow) FailedPercent() float64 {
	if r.Requests == 0 {
		return 0
	}
	return 100 * float64(r.Failures) / float64(r.Requests)
}

// Row returns the row of an address and a number of users, or nil.
func (s *Sweep) Row(api string, users int) *SweepRow {
	for i := range s.Rows {
		if s.Rows[i].API == api && s.Rows[i].Users == users {
			return &s.Rows[i]
		}
	}
	return nil
}

// Put adds a row or replaces the one of the same address and users.
func (s *Sweep) Put(row SweepRow) {
	if have := s.Row(row.API, row.Users); have != nil {
		*have = row
		return
	}
	s.Rows = append(s.Rows, row)
}

// Missing counts the places of the axes that have no complete row.
func (s *Sweep) Missing() (n int) {
	for _, api := range s.APIs {
		for _, users := range s.Users {
			if row := s.Row(api, users); row == nil || !row.Complete() {
				n++
			}
		}
	}
	return n
}

// Sort brings the rows into the order of the axes; rows of an earlier sweep that are on neither come last.
func (s *Sweep) Sort() {
	place := func(r SweepRow) int {
		api, users := slices.Index(s.APIs, r.API), slices.Index(s.Users, r.Users)
		if api < 0 || users < 0 {
			return len(s.APIs) * len(s.Users)
		}
		return api*len(s.Users) + users
	}
	slices.SortStableFunc(s.Rows, func(a, b SweepRow) int { return place(a) - place(b) })
}
