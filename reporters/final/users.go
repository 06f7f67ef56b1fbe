package final

import "github.com/stacrun/stacrun/metrics"

// peakUsers is the most users alive at once, all executions together, behind the warm-up.
type peakUsers int64

func (p *peakUsers) add(iv *metrics.Interval) {
	*p = max(*p, peakUsers(iv.MeasuredUsers()))
}
