package outlet

import "time"

// Cadence tells when totals are to be sent: with the first interval, then every so often.
type Cadence struct {
	Every  time.Duration // 0: with every second
	second int64         // the last one seen
	sent   int64         // the last one sent
	begun  bool
}

// Due takes the second of an interval and reports whether it is time to send.
func (c *Cadence) Due(second int64) bool {
	if !c.begun {
		c.begun, c.second, c.sent = true, second, second
		return true
	}
	c.second = max(c.second, second)
	if time.Duration(c.second-c.sent)*time.Second < c.Every || c.second == c.sent {
		return false
	}
	c.sent = c.second
	return true
}

// Last is the last second seen; false when there was none.
func (c *Cadence) Last() (second int64, ok bool) { return c.second, c.begun }
