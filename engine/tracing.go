package engine

import (
	"slices"
	"time"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// traced takes a copy of an exchange that has just been made.
func (u *user) traced(r *request, sent *wire.Request) {
	where := u.where(r)
	*u.trace = Trace{
		Execution: u.run.plan.name, Step: r.path, User: int(u.number), Iteration: u.ticket,
		Method: sent.Method, URL: where.String(), Protocol: "HTTP/1.1",
		Request: slices.Concat(sent.Head, sent.Body), RequestHead: headLength(sent.Head),
		Status: u.resp.Status, ResponseHead: slices.Clone(u.resp.Head), ResponseBody: u.plainBody(),
		BodyBytes: u.resp.BodyBytes, Timing: u.resp.Timing, Truncated: u.resp.Fault == wire.FaultTooLarge,
		Fault: u.resp.Fault.String(), FaultText: u.resp.Detail,
		Started: u.ctx.Now().Add(time.Duration(u.resp.Timing.Start - u.now())),
	}
}

// headLength finds the empty line: small bodies are sent in one piece with their head.
func headLength(head []byte) int {
	for i := 0; i+3 < len(head); i++ {
		if head[i] == '\r' && head[i+1] == '\n' && head[i+2] == '\r' && head[i+3] == '\n' {
			return i + 4
		}
	}
	return len(head)
}

// plainBody is a copy of the body as people can read it.
func (u *user) plainBody() []byte {
	body, err := wire.Decode(u.resp.Coding, u.resp.Body, wire.DefaultMaxBody, nil)
	if err != nil {
		return slices.Clone(u.resp.Body)
	}
	return body
}

// closeTrace hands out the trace of an exchange that a redirect follows.
func (u *user) closeTrace(s *metrics.Sample) {
	u.trace.Sample = *s
	u.trace.Label = u.run.engine.LabelName(s.Label)
	u.trace.Followed = true
	u.show(*u.trace)
}

// show hands a trace out, or keeps it until it is known whether its attempt was the last one.
func (u *user) show(t Trace) {
	if u.heldTraces != nil {
		*u.heldTraces = append(*u.heldTraces, t)
		return
	}
	u.run.engine.opts.Tracer.Exchange(t)
}

// emitTrace hands out the trace of the last exchange with the verdict.
func (u *user) emitTrace(r *request, s *metrics.Sample, text string) {
	t := u.trace
	if t.Step != r.path || t.Request == nil { // it was never sent
		*t = Trace{Execution: u.run.plan.name, Step: r.path, User: int(u.number), Iteration: u.ticket, Method: r.method, Started: u.ctx.Now()}
	}
	t.Sample = *s
	t.Label = u.run.engine.LabelName(s.Label)
	t.Fault, t.FaultText = s.Fault.String(), text
	u.show(*t)
	*t = Trace{}
}
