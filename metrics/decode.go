package metrics

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errMalformed is what any payload gives that no encoder wrote.
var errMalformed = errors.New("malformed interval")

// maxRows bounds the rows of one interval: they take much more memory than bytes.
const maxRows = 100_000

// decoder reads what encoder wrote. It checks everything that later code relies on; after the first mistake it yields zeros.
type decoder struct {
	rest    []byte
	strings []string
	bad     bool
}

// decodePayload returns the interval; the payload is not kept.
func decodePayload(payload []byte) (*Interval, error) {
	if len(payload) == 0 {
		return nil, errMalformed
	}
	if payload[0] != LogVersion {
		return nil, fmt.Errorf("interval of version %d, this program reads version %d", payload[0], LogVersion)
	}
	d := decoder{rest: payload[1:]}
	d.table()
	iv := &Interval{Second: d.signed(), Source: d.text(), Sequence: d.unsigned()}
	flags := d.octet()
	if flags&^intervalFlags != 0 {
		return nil, errMalformed
	}
	iv.Final = flags&intervalFinal != 0
	rows := d.length()
	if rows > maxRows {
		return nil, errMalformed
	}
	for range rows {
		var r Row
		d.row(&r)
		if d.bad {
			return nil, errMalformed
		}
		iv.Rows = append(iv.Rows, r)
	}
	for range d.length() {
		var l Load
		d.load(&l)
		iv.Load = append(iv.Load, l)
	}
	d.health(&iv.Health)
	if flags&intervalShort != 0 {
		iv.Health.NoDescriptor, iv.Health.NoPort = d.signed(), d.signed()
	}
	if flags&intervalStall != 0 {
		iv.Health.Stall = d.signed()
	}
	for range d.length() {
		iv.Errors = append(iv.Errors, d.errorText())
	}
	for range d.length() {
		iv.Events = append(iv.Events, Event{At: d.signed(), Kind: d.text(), Text: d.text()})
	}
	if flags&intervalAgents != 0 {
		for range d.length() {
			iv.Agents = append(iv.Agents, d.agent())
		}
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errMalformed
	}
	return iv, nil
}

func (d *decoder) fail() {
	d.bad = true
	d.rest = nil
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// counter reads a number that is never negative.
func (d *decoder) counter() int64 {
	v := d.unsigned()
	if v > math.MaxInt64 {
		d.fail()
		return 0
	}
	return int64(v)
}

// length reads how many entries follow; each takes a byte at least.
func (d *decoder) length() int {
	v := d.unsigned()
	if v > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(v)
}

func (d *decoder) octet() byte {
	if len(d.rest) == 0 {
		d.fail()
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) flag() bool {
	b := d.octet()
	if b > 1 {
		d.fail()
	}
	return b == 1
}

func (d *decoder) float() float64 {
	if len(d.rest) < 8 {
		d.fail()
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.rest))
	d.rest = d.rest[8:]
	return v
}

func (d *decoder) table() {
	n := d.length()
	d.strings = make([]string, 0, n)
	for range n {
		size := d.unsigned()
		if size > uint64(len(d.rest)) {
			d.fail()
			return
		}
		d.strings = append(d.strings, string(d.rest[:size]))
		d.rest = d.rest[size:]
	}
}

func (d *decoder) text() string {
	n := d.unsigned()
	if n >= uint64(len(d.strings)) {
		d.fail()
		return ""
	}
	return d.strings[n]
}

func (d *decoder) kind() Kind {
	k := Kind(d.octet())
	if k > ResourceKind {
		d.fail()
	}
	return k
}

func (d *decoder) fault() Fault {
	f := Fault(d.octet())
	if f >= FaultCount {
		d.fail()
		return NoFault
	}
	return f
}

func (d *decoder) row(r *Row) {
	r.Execution, r.Label, r.Kind = d.text(), d.text(), d.kind()
	flags := d.octet()
	r.WarmUp = flags&rowWarmUp != 0
	for _, n := range [...]*int64{&r.Finished, &r.Interrupted, &r.Failed, &r.Exchanges, &r.BytesOut, &r.BytesIn} {
		*n = d.counter()
	}
	r.FirstStart, r.LastEnd = d.signed(), d.signed()
	if n := d.length(); n > 0 {
		r.Codes = make(map[int]int64, min(n, 100))
		for range n {
			code := int(d.signed())
			r.Codes[code] = d.counter()
		}
	}
	for range d.length() {
		f := d.fault()
		r.Faults[f] = d.counter()
	}
	d.series(&r.Service)
	if flags&rowSharesTimes != 0 {
		r.Response = r.Service
	} else {
		d.series(&r.Response)
	}
	d.series(&r.Latency)
	d.series(&r.Connect)
	d.series(&r.Metric)
	for p := range r.Phases {
		d.sum(&r.Phases[p])
	}
	d.sum(&r.ClientWork)
	d.sum(&r.Users)
}

func (d *decoder) sum(s *Sum) {
	s.Count = d.counter()
	if s.Count == 0 {
		return
	}
	s.Total, s.Min, s.Max = d.signed(), d.signed(), d.signed()
	s.SquaresHi, s.SquaresLo = d.unsigned(), d.unsigned()
	if s.Min > s.Max {
		d.fail()
	}
}

func (d *decoder) series(s *Series) {
	d.sum(&s.Sum)
	if s.Count == 0 {
		return
	}
	h := &Histogram{clamped: d.counter()}
	n := d.length()
	h.index, h.count = make([]uint16, 0, min(n, bucketTotal)), make([]int64, 0, min(n, bucketTotal))
	last := int64(-1)
	for range n {
		step, count := d.unsigned(), d.counter()
		if step == 0 || step > uint64(bucketTotal-1-last) || count == 0 || h.total > math.MaxInt64-count {
			d.fail()
			return
		}
		last += int64(step)
		h.index, h.count = append(h.index, uint16(last)), append(h.count, count)
		h.total += count
	}
	if h.total != s.Count {
		d.fail()
		return
	}
	s.Histogram = h
}

func (d *decoder) load(l *Load) {
	l.Execution, l.Second, l.Planned = d.text(), d.signed(), d.float()
	flags := d.octet()
	if flags&^loadFlags != 0 {
		d.fail()
	}
	l.Open, l.WarmingUp = flags&loadOpen != 0, flags&loadWarming != 0
	for _, n := range [...]*int64{
		&l.Users, &l.UsersPeak, &l.Scheduled, &l.Started, &l.Finished, &l.Interrupted, &l.RequestsStarted, &l.Throttled, &l.DrainFrom,
	} {
		*n = d.signed()
	}
	for i := range l.Dropped {
		l.Dropped[i] = d.signed()
	}
	if flags&loadCapped != 0 {
		l.RequestsAdmitted, l.RequestsPlanned = d.signed(), d.signed()
	}
	if w := &l.WarmUp; flags&loadWarmUp != 0 {
		for _, n := range [...]*int64{&w.Scheduled, &w.Started, &w.RequestsAdmitted, &w.RequestsPlanned} {
			*n = d.signed()
		}
		for i := range w.Dropped {
			w.Dropped[i] = d.signed()
		}
		if flags&loadWarmUpEnds != 0 {
			for _, n := range [...]*int64{&w.Finished, &w.Interrupted, &w.RequestsStarted, &w.Throttled} {
				*n = d.signed()
			}
		}
	}
}

func (d *decoder) health(h *Health) {
	h.CPUShare, h.CPUSeconds, h.GCShare = d.float(), d.float(), d.float()
	for _, n := range [...]*int64{
		&h.SchedulerLagP99, &h.GCPauseMax, &h.PacerLateP99, &h.CollectorLag, &h.Goroutines, &h.Descriptors, &h.DescriptorLimit, &h.MemoryBytes,
	} {
		*n = d.signed()
	}
}

func (d *decoder) agent() Agent {
	a := Agent{Name: d.text(), Host: d.text(), Second: d.signed(), State: AgentState(d.octet()), Share: d.float(), CPUShare: d.float()}
	if a.State >= agentStates {
		a.State = 0
		d.fail()
	}
	for _, n := range [...]*int64{&a.Finished, &a.Failed, &a.Users, &a.SchedulerLagP99} {
		*n = d.signed()
	}
	return a
}

func (d *decoder) errorText() ErrorText {
	return ErrorText{
		Execution: d.text(), Label: d.text(), Fault: d.fault(), Code: int(d.signed()), WarmUp: d.flag(), Text: d.text(), Count: d.signed(),
	}
}
