package final

import "github.com/stacrun/stacrun/metrics"

// peakUsers is the most users alive at once, all executions together.
type peakUsers int64

func (p *peakUsers) add(iv *metrics.Interval) {
	var users int64
	for i := range iv.Load {
		users += iv.Load[i].UsersPeak
	}
	*p = max(*p, peakUsers(users))
}
