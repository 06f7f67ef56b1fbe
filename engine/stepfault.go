package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// stepFault makes a failed sample of a step whose template could not be evaluated, so that the mistake
// is counted and named like that of a request. Its label is the step itself.
type stepFault struct {
	request request
	what    string
}

func (c *compiler) stepFault(what string, t config.Text) *stepFault {
	return &stepFault{
		request: request{path: t.Path, method: what, label: labelRef{kind: metrics.RequestKind, index: -1}, at: location{target: what + " " + t.Value}, static: true},
		what:    what,
	}
}

// record counts the failure. The list that the step stands in goes on behind it.
func (f *stepFault) record(u *user, err error) flow {
	s := &u.sample
	x := u.run
	*s = metrics.Sample{
		Scheduled: -1, Iteration: u.ticket, Execution: uint16(x.plan.index), User: u.number,
		Users: uint32(x.load.Users()), Kind: metrics.RequestKind,
		Label: x.engine.collector.Label(x.plan.name, metrics.RequestKind, f.request.at.target),
	}
	u.stampNow(s)
	u.markWarmUp(s)
	u.countStart(s, true)
	u.finish(&f.request, s, metrics.FaultTemplate, f.what+": "+err.Error(), true)
	return flowNext
}
