package metrics

// Kind tells what a sample or a row is about. Totals count requests only.
type Kind uint8

// The kinds of sample.
const (
	RequestKind Kind = iota
	TransactionKind
	IterationKind
	ResourceKind // embedded resources of a page
)

// Fault classifies why a sample failed, by phase and cause. The vocabulary is fixed.
type Fault uint8

// The faults. NoFault with a status of 2xx or 3xx is a success.
const (
	NoFault Fault = iota
	FaultDNS
	FaultConnectRefused
	FaultConnectTimeout
	FaultTLS
	FaultReset       // connection reset by the peer
	FaultClosedEarly // closed before the whole answer had come
	FaultTimeout     // no first byte, or no end, in time
	FaultProtocol    // what came is not HTTP
	FaultTooLarge    // head, or a body that had to be kept, over its limit
	FaultStatus      // answered, with a status that counts as failure
	FaultAssertion
	FaultExtraction
	FaultTemplate    // the request could not be made from its template
	FaultConnect     // other connect errors: no route, no ports, no descriptors
	FaultInterrupted // the run was stopped while it was under way
	FaultCount       // number of faults, not a fault
)

// faultNames are the words of reports, CSV and criteria.
var faultNames = [FaultCount]string{
	"", "dns", "connect-refused", "connect-timeout", "tls", "reset", "closed-early", "timeout", "protocol",
	"too-large", "status", "assertion", "extraction", "template", "connect", "interrupted",
}

// String gives the word that reports use, "" for NoFault.
func (f Fault) String() string {
	if f < FaultCount {
		return faultNames[f]
	}
	return "unknown"
}

// ParseFault is the inverse of [Fault.String].
func ParseFault(word string) (Fault, bool) {
	for f, name := range faultNames {
		if name == word && f > 0 {
			return Fault(f), true
		}
	}
	return NoFault, false
}

// LabelID numbers a (execution, kind, label) within one [Collector].
type LabelID uint32

// Sample is the record of one finished request, transaction or iteration: fixed size, no pointers.
//
// All times are nanoseconds since the start of the run on one monotonic clock. Phases that a
// sample skipped (no DNS look-up, a reused connection) have the time of the phase before them, so
// that DNS ≥ Start, Connected ≥ DNS, TLS ≥ Connected, Sent ≥ TLS, FirstByte ≥ Sent, End ≥ FirstByte and
// the differences add up to End − Start.
type Sample struct {
	Scheduled  int64 // when it should have begun; equals Start in the closed model
	Start      int64
	DNS        int64 // name resolved
	Connected  int64
	TLS        int64 // handshake finished
	Sent       int64 // last byte of the request handed to the kernel
	FirstByte  int64
	End        int64 // last byte of the answer, or the moment of the fault
	ClientWork int64 // ns spent after End on decompression, extraction and assertions
	BytesOut   int64
	BytesIn    int64
	Metric     int64 // one optional number taken from the answer, such as took; valid with HasMetric
	Iteration  int64 // of this user, from 0; in shared-total and open plans the arrival's number
	Label      LabelID
	Execution  uint16
	Status     uint16 // 0: none
	Exchanges  uint16 // request-response pairs on the wire: redirects, retries and resources included; of an iteration, of requests that results leave out
	User       uint32 // from 0 within the execution
	Users      uint32 // alive in the execution at Start
	Kind       Kind
	Fault      Fault
	Flags      Flags
}

// Flags of a sample.
type Flags uint8

// The flags.
const (
	Failed        Flags = 1 << iota
	WarmUp              // Scheduled lies in the warm-up
	HasMetric           // Metric is valid
	NewConnection       // a connection was made for it
	Interrupted         // cut short by the end of the run: counted as interrupted, not as finished
	Unsent              // nothing was tried, so it took no time: counted, but in no time's distribution
)

// Service is the service time in ns.
func (s *Sample) Service() int64 { return s.End - s.Start }

// Response is the response time in ns: from the schedule, so that waiting for a free user counts.
func (s *Sample) Response() int64 { return s.End - s.Scheduled }
