package metrics

// cell holds the counters of one label in one shard for one second. Whoever owns the shard writes to it plainly. What each
// sample touches lies close together: of a thousand labels, a cell has left the processor's cache when its next sample comes.
type cell struct {
	counters
	codes codeCounts
	// Where a sample began on schedule its service time is its response time, so it is kept once; only
	// the late ones, in an open model, are kept twice.
	prompt          tally
	latency         tally
	delayedService  *tally
	delayedResponse *tally
	connect         *tally
	metric          *tally
}

// counters are what a second begins without.
type counters struct {
	faults      [FaultCount]int64
	unsent      int64 // of finished: they have no times
	interrupted int64
	failed      int64
	clientWork  Sum // those longer than 0
	used        bool
	timed       bool            // of a kind that has phases
	phases      [PhaseCount]Sum // those longer than 0
	users       Sum
	first, last int64
	finished    int64
	exchanges   int64
	bytesOut    int64
	bytesIn     int64
}

// record adds one sample; pages come from the pool.
func (c *cell) record(s *Sample, pool *pagePool) {
	c.exchanges += int64(s.Exchanges)
	c.bytesOut += s.BytesOut
	c.bytesIn += s.BytesIn
	if c.finished+c.interrupted == 0 || s.Scheduled < c.first {
		c.first = s.Scheduled
	}
	if s.Flags&Interrupted != 0 {
		c.interrupted++
		return
	}
	if c.finished == 0 || s.End > c.last {
		c.last = s.End
	}
	c.finished++
	if s.Flags&Failed != 0 {
		c.failed++
	}
	if s.Fault != NoFault && s.Fault < FaultCount {
		c.faults[s.Fault]++
	}
	c.codes.add(s.Status)
	c.users.Add(int64(s.Users))
	if s.Flags&Unsent != 0 {
		c.unsent++
		return
	}
	service := s.End - s.Start
	if s.Scheduled == s.Start {
		c.prompt.record(service, pool)
	} else {
		made(&c.delayedService).record(service, pool)
		made(&c.delayedResponse).record(s.End-s.Scheduled, pool)
	}
	if s.ClientWork > 0 {
		c.clientWork.Add(s.ClientWork)
	}
	if s.Flags&HasMetric != 0 {
		made(&c.metric).record(thousandths(s.Metric), pool)
	}
	if s.Kind == RequestKind || s.Kind == ResourceKind {
		c.recordPhases(s, pool)
	}
}

// recordPhases adds the parts of an exchange. A stamp that was not taken counts as the one before it, so that the parts are
// never negative and always add up to the whole.
func (c *cell) recordPhases(s *Sample, pool *pagePool) {
	c.timed = true
	at := s.Start
	for p, stamp := range [PhaseCount]int64{s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte, s.End} {
		if stamp > at {
			c.phases[p].Add(stamp - at)
			at = stamp
		}
	}
	if s.Status != 0 {
		c.latency.record(s.FirstByte-s.Start, pool)
	}
	if s.Flags&NewConnection != 0 {
		made(&c.connect).record(max(s.Connected, s.TLS)-s.Start, pool)
	}
}

// thousandths scales a metric so that the histogram counts its whole units; what would overflow is far beyond the layout anyway.
func thousandths(v int64) int64 {
	const limit = int64(1<<63-1) / 1000
	return min(max(v, -limit), limit) * 1000
}

// drain moves everything into the row and leaves the cell empty; pages go to freed.
func (c *cell) drain(r *Row, freed *pagePool) {
	r.Finished, r.Interrupted, r.Failed = c.finished, c.interrupted, c.failed
	r.Exchanges, r.BytesOut, r.BytesIn = c.exchanges, c.bytesOut, c.bytesIn
	r.FirstStart, r.LastEnd = c.first, c.last
	r.Codes = c.codes.take()
	r.Faults = c.faults
	c.prompt.drain(&r.Service, freed)
	r.Response = r.Service
	if c.delayedService != nil && c.delayedService.Count > 0 {
		var service, response Series
		c.delayedService.drain(&service, freed)
		c.delayedResponse.drain(&response, freed)
		r.Response.Histogram = r.Service.Histogram.Clone()
		r.Service.Merge(&service)
		r.Response.Merge(&response)
	}
	c.latency.drain(&r.Latency, freed)
	c.connect.drain(&r.Connect, freed)
	c.metric.drain(&r.Metric, freed)
	if c.timed {
		r.Phases = c.phases
		for p := range r.Phases {
			r.Phases[p].addZeros(c.finished - c.unsent - r.Phases[p].Count)
		}
	}
	r.ClientWork = c.clientWork
	r.ClientWork.addZeros(c.finished - c.unsent - r.ClientWork.Count)
	r.Users = c.users
	c.counters = counters{}
}

// codeCounts counts status codes: a few in place, since a label hardly ever sees more, the rest in a map.
type codeCounts struct {
	used int
	few  [4]struct {
		code  uint16
		count int64
	}
	more map[uint16]int64
}

func (c *codeCounts) add(code uint16) {
	for i := range c.used {
		if c.few[i].code == code {
			c.few[i].count++
			return
		}
	}
	if c.used < len(c.few) {
		c.few[c.used].code, c.few[c.used].count = code, 1
		c.used++
		return
	}
	if c.more == nil {
		c.more = map[uint16]int64{}
	}
	c.more[code]++
}

// take returns the counts and forgets them.
func (c *codeCounts) take() map[int]int64 {
	if c.used == 0 {
		return nil
	}
	out := make(map[int]int64, c.used+len(c.more))
	for i := range c.used {
		out[int(c.few[i].code)] = c.few[i].count
	}
	for code, n := range c.more {
		out[int(code)] = n
	}
	c.used = 0
	clear(c.more)
	return out
}
