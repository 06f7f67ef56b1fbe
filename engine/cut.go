package engine

import (
	"fmt"
	"sync/atomic"
	"time"
)

// cut counts the requests that were cut off while they waited for an answer. They are in no figure of time and in no criterion, so
// a target that stopped answering would look well without a word about them.
type cut struct {
	count  atomic.Int64
	oldest atomic.Int64 // ns
}

// tellFrom is the age from which on a request that was cut off is worth a warning: in an ordinary run some are always under way.
const tellFrom = time.Second

func (c *cut) add(age int64) {
	c.count.Add(1)
	for {
		oldest := c.oldest.Load()
		if age <= oldest || c.oldest.CompareAndSwap(oldest, age) {
			return
		}
	}
}

// text tells of them, "" when there is nothing to tell.
func (c *cut) text() string {
	oldest := time.Duration(c.oldest.Load())
	if oldest < tellFrom {
		return ""
	}
	n, were, them := c.count.Load(), "was", "it"
	if n > 1 {
		were, them = "were", "them"
	}
	return fmt.Sprintf("%s %s still without an answer when the run was over, the oldest for %s: no percentile and no criterion counts %s; a timeout shorter than the plan would make %s a failure",
		plural(int(n), "request"), were, oldest.Round(100*time.Millisecond), them, them)
}
