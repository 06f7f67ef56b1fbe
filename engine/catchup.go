package engine

import "time"

// A stall of the generator (a stopped process, a processor given to others) leaves arrivals behind that are all due. Begun at
// once they would be a burst that the plan does not hold, and the target would be measured under it. So what was missed is caught
// up at no more than catchUpPace times the pace of the schedule, and only lateness of up to catchUpAtOnce begins in one go.
// Each arrival stays due when it was, and its response time counts from then.
const (
	catchUpPace   = 2
	catchUpAtOnce = 20 * time.Millisecond
)

// catchUp tells how far on its schedule the pacer may be. With it no window of length w holds more begun arrivals than some window
// of catchUpPace·w + catchUpAtOnce of the schedule does. Times are ns since the start of the run.
type catchUp struct {
	reached int64 // arrivals that are due until then may begin
	looked  int64 // when it was asked last
	asleep  int64 // the pacer meant to sleep until then
}

// until gives the moment up to which what is due may begin now. Time in which the pacer meant to look and could not earns
// no more than what may begin at once, however long it was.
func (c *catchUp) until(now int64) int64 {
	if awake := min(now, c.asleep); awake > c.looked {
		c.reached = min(awake, c.reached+catchUpPace*(awake-c.looked))
		c.looked = awake
	}
	earned := min(catchUpPace*(now-c.looked), int64(catchUpAtOnce))
	c.looked, c.reached = now, min(now, c.reached+earned)
	return c.reached
}

// skip leaves out what is due before a moment: it will not begin.
func (c *catchUp) skip(to int64) { c.reached = max(c.reached, to) }

// sleep says that nothing is due until then, so that the pacer need not look.
func (c *catchUp) sleep(until int64) { c.asleep = until }

// move shifts the schedule by what a pause took.
func (c *catchUp) move(by int64) {
	c.reached += by
	c.looked += by
	c.asleep += by
}
