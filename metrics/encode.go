package metrics

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// encoder writes the payload of an interval: first the table of its strings, then everything in order, integers as
// varints, buckets as the distance from the last one and their count.
type encoder struct {
	body    []byte
	strings []string
	numbers map[string]uint64
}

// appendPayload appends the encoded interval to dst.
func appendPayload(dst []byte, iv *Interval) []byte {
	e := encoder{numbers: map[string]uint64{}}
	e.signed(iv.Second)
	e.text(iv.Source)
	e.unsigned(iv.Sequence)
	flags := byte(0)
	if iv.Final {
		flags |= intervalFinal
	}
	if len(iv.Agents) > 0 {
		flags |= intervalAgents
	}
	if iv.Health.Stall != 0 {
		flags |= intervalStall
	}
	short := iv.Health.NoDescriptor != 0 || iv.Health.NoPort != 0
	if short {
		flags |= intervalShort
	}
	e.body = append(e.body, flags)
	e.unsigned(uint64(len(iv.Rows)))
	for i := range iv.Rows {
		e.row(&iv.Rows[i])
	}
	e.unsigned(uint64(len(iv.Load)))
	for i := range iv.Load {
		e.load(&iv.Load[i])
	}
	e.health(&iv.Health)
	if short {
		e.signed(iv.Health.NoDescriptor)
		e.signed(iv.Health.NoPort)
	}
	if iv.Health.Stall != 0 {
		e.signed(iv.Health.Stall)
	}
	e.unsigned(uint64(len(iv.Errors)))
	for i := range iv.Errors {
		e.errorText(&iv.Errors[i])
	}
	e.unsigned(uint64(len(iv.Events)))
	for _, event := range iv.Events {
		e.signed(event.At)
		e.text(event.Kind)
		e.text(event.Text)
	}
	if len(iv.Agents) > 0 {
		e.unsigned(uint64(len(iv.Agents)))
		for i := range iv.Agents {
			e.agent(&iv.Agents[i])
		}
	}

	dst = append(dst, LogVersion)
	dst = binary.AppendUvarint(dst, uint64(len(e.strings)))
	for _, s := range e.strings {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	return append(dst, e.body...)
}

func (e *encoder) signed(v int64)    { e.body = binary.AppendVarint(e.body, v) }
func (e *encoder) unsigned(v uint64) { e.body = binary.AppendUvarint(e.body, v) }
func (e *encoder) float(v float64) {
	e.body = binary.LittleEndian.AppendUint64(e.body, math.Float64bits(v))
}

func (e *encoder) flag(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	e.body = append(e.body, b)
}

func (e *encoder) text(s string) {
	n, known := e.numbers[s]
	if !known {
		n = uint64(len(e.strings))
		e.numbers[s] = n
		e.strings = append(e.strings, s)
	}
	e.unsigned(n)
}

// The flags of an interval. Logs from before there were agents hold the first one or none.
const (
	intervalFinal  = 1 << iota
	intervalAgents // agents follow at the end
	intervalShort  // connections that were not made follow behind the health
	intervalStall  // how long the generator stood still follows behind them
	intervalFlags  = intervalFinal | intervalAgents | intervalShort | intervalStall
)

func (e *encoder) agent(a *Agent) {
	e.text(a.Name)
	e.text(a.Host)
	e.signed(a.Second)
	e.body = append(e.body, byte(a.State))
	e.float(a.Share)
	e.float(a.CPUShare)
	for _, n := range [...]int64{a.Finished, a.Failed, a.Users, a.SchedulerLagP99} {
		e.signed(n)
	}
}

// The flags of a row.
const (
	rowWarmUp      = 1 << iota
	rowSharesTimes // the response times are the service times
)

func (e *encoder) row(r *Row) {
	e.text(r.Execution)
	e.text(r.Label)
	flags := byte(0)
	if r.WarmUp {
		flags |= rowWarmUp
	}
	if r.sharesTimes() {
		flags |= rowSharesTimes
	}
	e.body = append(e.body, byte(r.Kind), flags)
	for _, n := range [...]int64{r.Finished, r.Interrupted, r.Failed, r.Exchanges, r.BytesOut, r.BytesIn} {
		e.unsigned(uint64(n))
	}
	e.signed(r.FirstStart)
	e.signed(r.LastEnd)
	e.unsigned(uint64(len(r.Codes)))
	for _, code := range slices.Sorted(maps.Keys(r.Codes)) {
		e.signed(int64(code))
		e.unsigned(uint64(r.Codes[code]))
	}
	e.faults(&r.Faults)
	e.series(&r.Service)
	if !r.sharesTimes() {
		e.series(&r.Response)
	}
	e.series(&r.Latency)
	e.series(&r.Connect)
	e.series(&r.Metric)
	for p := range r.Phases {
		e.sum(&r.Phases[p])
	}
	e.sum(&r.ClientWork)
	e.sum(&r.Users)
}

// faults writes how many kinds there were, then kind and count of each.
func (e *encoder) faults(faults *[FaultCount]int64) {
	kinds := uint64(0)
	for _, n := range faults {
		if n != 0 {
			kinds++
		}
	}
	e.unsigned(kinds)
	for f, n := range faults {
		if n != 0 {
			e.body = append(e.body, byte(f))
			e.unsigned(uint64(n))
		}
	}
}

// sum writes nothing but its count when that is 0.
func (e *encoder) sum(s *Sum) {
	e.unsigned(uint64(s.Count))
	if s.Count == 0 {
		return
	}
	e.signed(s.Total)
	e.signed(s.Min)
	e.signed(s.Max)
	e.unsigned(s.SquaresHi)
	e.unsigned(s.SquaresLo)
}

func (e *encoder) series(s *Series) {
	e.sum(&s.Sum)
	if s.Count == 0 {
		return
	}
	h := s.Histogram
	e.unsigned(uint64(h.clamped))
	e.unsigned(uint64(len(h.index)))
	last := -1
	for j, i := range h.index {
		e.unsigned(uint64(int(i) - last))
		e.unsigned(uint64(h.count[j]))
		last = int(i)
	}
}

// The flags of a load. Logs from before there were the later ones hold the first one or none.
const (
	loadOpen   = 1 << iota
	loadCapped // requests that were admitted and planned follow at the end
	loadWarmUp // the part of the warm-up follows at the end
	loadWarming
	loadWarmUpEnds // what became of the warm-up follows behind its part
	loadFlags      = loadOpen | loadCapped | loadWarmUp | loadWarming | loadWarmUpEnds
)

func (e *encoder) load(l *Load) {
	e.text(l.Execution)
	e.signed(l.Second)
	e.float(l.Planned)
	flags := byte(0)
	if l.Open {
		flags |= loadOpen
	}
	capped := l.RequestsAdmitted != 0 || l.RequestsPlanned != 0
	if capped {
		flags |= loadCapped
	}
	if l.WarmingUp {
		flags |= loadWarming
	}
	warmUp := l.WarmUp != LoadPart{}
	if warmUp {
		flags |= loadWarmUp | loadWarmUpEnds
	}
	e.body = append(e.body, flags)
	for _, n := range [...]int64{
		l.Users, l.UsersPeak, l.Scheduled, l.Started, l.Finished, l.Interrupted, l.RequestsStarted, l.Throttled, l.DrainFrom,
	} {
		e.signed(n)
	}
	for _, n := range l.Dropped {
		e.signed(n)
	}
	if capped {
		e.signed(l.RequestsAdmitted)
		e.signed(l.RequestsPlanned)
	}
	if w := &l.WarmUp; warmUp {
		for _, n := range [...]int64{w.Scheduled, w.Started, w.RequestsAdmitted, w.RequestsPlanned} {
			e.signed(n)
		}
		for _, n := range w.Dropped {
			e.signed(n)
		}
		for _, n := range [...]int64{w.Finished, w.Interrupted, w.RequestsStarted, w.Throttled} {
			e.signed(n)
		}
	}
}

func (e *encoder) health(h *Health) {
	e.float(h.CPUShare)
	e.float(h.CPUSeconds)
	e.float(h.GCShare)
	for _, n := range [...]int64{
		h.SchedulerLagP99, h.GCPauseMax, h.PacerLateP99, h.CollectorLag, h.Goroutines, h.Descriptors, h.DescriptorLimit, h.MemoryBytes,
	} {
		e.signed(n)
	}
}

func (e *encoder) errorText(t *ErrorText) {
	e.text(t.Execution)
	e.text(t.Label)
	e.body = append(e.body, byte(t.Fault))
	e.signed(int64(t.Code))
	e.flag(t.WarmUp)
	e.text(t.Text)
	e.signed(t.Count)
}
