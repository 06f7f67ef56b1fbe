package metrics

// Interval is one second of traffic of one source: what ended in it. Intervals of any sources
// and seconds merge, in any order and grouping, to the same totals.
type Interval struct {
	Second   int64  // whole seconds since the start of the run; samples belong to the second in which they ended
	Source   string // "" for this process, or the name of an agent
	Sequence uint64 // numbered per source from 1, so that a gap shows
	Rows     []Row  // per execution, kind and label; warm-up rows apart
	Load     []Load // per execution
	Health   Health
	Errors   []ErrorText // at most 100 distinct; counts of further ones are added to the last, with Text "(others)"
	Events   []Event
	Final    bool // the last one of its source: the run has ended
}

// Row is the traffic of one label within an interval, or the sum of many.
type Row struct {
	Execution string
	Label     string
	Kind      Kind
	WarmUp    bool

	Finished    int64 // samples that ended, failed ones included
	Interrupted int64 // cut short; not in Finished, nor in any time
	Failed      int64
	Exchanges   int64
	BytesOut    int64
	BytesIn     int64
	Codes       map[int]int64 // finished samples by status; those without an answer under 0
	Faults      [FaultCount]int64

	Service    Series
	Response   Series          // in a closed model the same as Service, and then shared
	Latency    Series          // start to first byte
	Connect    Series          // of samples that made a connection
	Metric     Series          // of samples that carry one; unit as the scenario says
	Phases     [PhaseCount]Sum // ns
	ClientWork Sum             // ns
	Users      Sum             // users alive, over samples; Max is the peak
}

// Phase is a part of a sample's time. They are disjoint and add up to the service time.
type Phase uint8

// The phases in order.
const (
	PhaseDNS Phase = iota
	PhaseConnect
	PhaseTLS
	PhaseSend
	PhaseWait
	PhaseReceive
	PhaseCount
)

// String gives the phase's name as reports use it.
func (p Phase) String() string {
	return [...]string{"dns", "connect", "tls", "send", "wait", "receive"}[p]
}

// Series is a distribution in nanoseconds: exact count, sum, extremes and square sum beside a histogram in microseconds.
type Series struct {
	Sum
	Histogram *Histogram // nil when Count is 0
}

// Sum is an exact sum with its count and extremes. Squares is Σ(x/1µs)² as a 128-bit number.
type Sum struct {
	Count     int64
	Total     int64 // ns
	Min, Max  int64 // ns; 0 when Count is 0
	SquaresHi uint64
	SquaresLo uint64
}

// Load is what the generator wanted and did for one execution in the interval.
type Load struct {
	Execution       string
	Planned         float64 // users (closed) or iterations per second (open) that the plan asks for at the end of the interval
	Open            bool
	Users           int64 // alive at the end of the interval
	UsersPeak       int64 // most alive at once within it
	Scheduled       int64 // iterations that fell due
	Started         int64 // iterations
	Finished        int64 // iterations
	Interrupted     int64 // iterations
	Dropped         [DropCount]int64
	RequestsStarted int64 // requests that were begun; finished and interrupted ones are in the rows
	Throttled       int64 // ns that requests waited for the throughput cap
}

// Drop is why a due iteration was not started.
type Drop uint8

// The reasons.
const (
	DropWaitedTooLong Drop = iota
	DropEnded
	DropCount
)

// String gives the reason as reports use it.
func (d Drop) String() string { return [...]string{"waited-too-long", "ended"}[d] }

// Health is how the generator itself fared in the interval.
type Health struct {
	CPUShare        float64 // of GOMAXPROCS processors, 0…1
	CPUSeconds      float64 // user + system
	SchedulerLagP99 int64   // ns
	GCPauseMax      int64   // ns
	GCShare         float64
	PacerLateP99    int64 // ns by which arrivals or ramp steps were late
	CollectorLag    int64 // ns by which the second was closed late
	Goroutines      int64
	Descriptors     int64
	MemoryBytes     int64 // resident
}

// ErrorText is one distinct failure text.
type ErrorText struct {
	Execution, Label string
	Fault            Fault
	Code             int
	Text             string
	Count            int64
}

// Event is something worth marking on a time line.
type Event struct {
	At   int64  // ns since the start
	Kind string // "stage", "load", "criterion", "stop", "service", "warning"
	Text string
}
