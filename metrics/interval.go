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
	Errors   []ErrorText // at most 100 distinct per source; counts of further ones are added up under the text "(others)"
	Events   []Event
	Agents   []Agent // of a distributed run, in order of name; nil: one process
	Final    bool    // the last one of its source: the run has ended
}

// Load is what the generator wanted and did for one execution in the interval.
type Load struct {
	Execution        string
	Second           int64   // the gauges below (Planned, Users, UsersPeak, WarmingUp) are of this second
	Planned          float64 // users (closed) or iterations per second (open) that the plan asks for at the end of the interval
	Open             bool
	Users            int64 // alive at the end of the interval
	UsersPeak        int64 // most alive at once within it
	WarmingUp        bool  // the warm-up is not over at the end of the interval
	Scheduled        int64 // iterations that fell due
	Started          int64 // iterations
	Finished         int64 // iterations
	Interrupted      int64 // iterations
	Dropped          [DropCount]int64
	RequestsStarted  int64    // requests that were begun; finished and interrupted ones are in the rows
	RequestsAdmitted int64    // of a closed execution with a throughput cap: that began under it, in a row of their own or not
	RequestsPlanned  int64    // requests that the cap let begin, were there always a user to send them; 0 where nothing is capped
	Throttled        int64    // ns that requests waited for the throughput cap
	DrainFrom        int64    // ns since the start of the run from which on no new request began, as the plan was over or the run was stopped; 0 until then
	WarmUp           LoadPart // what of the counters above fell due in the warm-up; what became of it (Finished, Interrupted, RequestsStarted, Throttled) older logs do not hold
}

// LoadPart is a part of a load, by when its iterations and requests fell due.
type LoadPart struct {
	Scheduled        int64
	Started          int64
	Finished         int64
	Interrupted      int64
	Dropped          [DropCount]int64
	RequestsStarted  int64
	RequestsAdmitted int64
	RequestsPlanned  int64
	Throttled        int64 // ns
}

// Measured is the load without what fell due in the warm-up, as criteria judge it.
func (l Load) Measured() Load {
	l.add(l.WarmUp, -1)
	l.WarmUp = LoadPart{}
	return l
}

// Part gives what fell due in the warm-up, or what fell due behind it.
func (l *Load) Part(warmUp bool) LoadPart {
	if warmUp {
		return l.WarmUp
	}
	m := l.Measured()
	return m.Whole()
}

// Whole gives the counters of the load, warm-up included.
func (l *Load) Whole() LoadPart {
	return LoadPart{
		Scheduled: l.Scheduled, Started: l.Started, Finished: l.Finished, Interrupted: l.Interrupted, Dropped: l.Dropped,
		RequestsStarted: l.RequestsStarted, RequestsAdmitted: l.RequestsAdmitted, RequestsPlanned: l.RequestsPlanned, Throttled: l.Throttled,
	}
}

// add counts a part in, or with sign -1 out.
func (l *Load) add(p LoadPart, sign int64) {
	l.Scheduled += sign * p.Scheduled
	l.Started += sign * p.Started
	l.Finished += sign * p.Finished
	l.Interrupted += sign * p.Interrupted
	for d := range l.Dropped {
		l.Dropped[d] += sign * p.Dropped[d]
	}
	l.RequestsStarted += sign * p.RequestsStarted
	l.RequestsAdmitted += sign * p.RequestsAdmitted
	l.RequestsPlanned += sign * p.RequestsPlanned
	l.Throttled += sign * p.Throttled
}

func (p *LoadPart) merge(o *LoadPart) {
	p.Scheduled += o.Scheduled
	p.Started += o.Started
	p.Finished += o.Finished
	p.Interrupted += o.Interrupted
	for d := range p.Dropped {
		p.Dropped[d] += o.Dropped[d]
	}
	p.RequestsStarted += o.RequestsStarted
	p.RequestsAdmitted += o.RequestsAdmitted
	p.RequestsPlanned += o.RequestsPlanned
	p.Throttled += o.Throttled
}

// WarmingUp reports whether the interval lies in the warm-up as a whole: an execution has not ended its own, and no other one is
// behind it, with users or a load that is asked for.
func (iv *Interval) WarmingUp() bool {
	warming := false
	for i := range iv.Load {
		switch l := &iv.Load[i]; {
		case l.WarmingUp:
			warming = true
		case l.Planned > 0 || l.Users > 0 || l.UsersPeak > 0:
			return false
		}
	}
	return warming
}

// MeasuredUsers is the most users that were alive at once in the executions that are behind their warm-up.
func (iv *Interval) MeasuredUsers() int64 {
	users := int64(0)
	for i := range iv.Load {
		if l := &iv.Load[i]; !l.WarmingUp {
			users += l.UsersPeak
		}
	}
	return users
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
	Descriptors     int64 // open
	DescriptorLimit int64 // allowed; 0: unknown
	MemoryBytes     int64 // resident
	NoDescriptor    int64 // connections that were not made because the process had no file descriptor left
	NoPort          int64 // … because the machine had no local port left for them
	Stall           int64 // ns for which the generator stood still at a stretch, at most; less than a tenth of a second may not show
}

// ErrorText is one distinct failure text.
type ErrorText struct {
	Execution, Label string
	Fault            Fault
	Code             int
	WarmUp           bool
	Text             string
	Count            int64
}

// Event is something worth marking on a time line.
type Event struct {
	At   int64  // ns since the start
	Kind string // "stage", "load", "criterion", "stop", "service", "warning"
	Text string
}
