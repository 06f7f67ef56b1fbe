package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// read judges an answer: status, then extractions into variables, then checks. The time that it takes is the
// client's and stands apart from the sample's.
func (r *request) read(u *user, s *metrics.Sample) (fault metrics.Fault, text string) {
	if !r.assumeSuccess && !r.success.has(int(s.Status)) {
		fault, text = metrics.FaultStatus, statusText(int(s.Status))
	}
	if len(r.extractions) == 0 && len(r.checks) == 0 {
		if fault != metrics.NoFault && len(u.resp.Body) > 0 { // a tracer wanted it
			text = withExcerpt(text, u.plainBody())
		}
		return fault, text
	}
	from := u.now()
	if u.reading == nil {
		u.reading = new(reading)
	}
	v := &u.reading.answer
	v.Reset()
	v.Status, v.Head, v.Body = u.resp.Status, u.resp.Head, u.resp.Body
	if u.resp.Coding != wire.Identity && len(u.resp.Body) > 0 {
		buffer := u.run.engine.decoded.get()
		defer u.run.engine.decoded.put(buffer)
		var err error
		if *buffer, err = wire.Decode(u.resp.Coding, u.resp.Body, r.bodyLimit(), (*buffer)[:0]); err != nil {
			r.forget(u)
			s.ClientWork = u.now() - from
			if fault != metrics.NoFault {
				return fault, text
			}
			if err == wire.ErrTooLarge {
				return metrics.FaultTooLarge, err.Error()
			}
			return metrics.FaultProtocol, err.Error()
		}
		v.Body = *buffer
	}
	if r.needsURL {
		v.URL = u.where(r).String()
	}
	v.RequestHead = u.sentHead
	if fault != metrics.NoFault {
		text = withExcerpt(text, v.Body)
	}
	u.ctx.Response = v
	if f, t := r.extract(u, v); fault == metrics.NoFault {
		fault, text = f, t
	}
	if f, t := r.check(u, v); f != metrics.NoFault && (fault == metrics.NoFault || fault == metrics.FaultExtraction) {
		fault, text = f, t
	}
	u.ctx.Response = nil
	v.Reset()
	s.ClientWork = u.now() - from
	return fault, text
}

// extract fills variables. One that finds nothing and has no default fails the sample.
func (r *request) extract(u *user, v *extract.Response) (fault metrics.Fault, text string) {
	for i := range r.extractions {
		x := &r.extractions[i]
		res := &u.reading.found
		from := v
		if x.from != nil {
			from = u.variable(x.from)
		}
		var err error
		if x.part == mainPart || x.from != nil {
			err = x.Extract(from, &u.ctx, u.stream.rand, res)
		} else if err = x.ExtractAll(u.parts.searched(x.part, from), &u.ctx, u.stream.rand, res); err == nil {
			err = u.parts.wrong
		}
		if err != nil {
			u.vars.Set(x.slot, template.String(x.fallback))
			if fault == metrics.NoFault {
				fault, text = metrics.FaultExtraction, x.Variable()+": "+err.Error()
			}
			continue
		}
		value := template.String(res.Value)
		if res.JSON {
			value = template.FromJSON(res.Value)
		}
		u.vars.Set(x.slot, value)
		if x.metric && res.Matched {
			// What is no number has no place in a distribution; an assertion can tell that it is wrong.
			if number, err := strconv.ParseFloat(strings.TrimSpace(res.Value), 64); err == nil && math.Abs(number) < 1e15 {
				u.sample.Metric, u.sample.Flags = int64(math.Round(number)), u.sample.Flags|metrics.HasMetric
			}
		}
		if x.keep {
			u.vars.SetMatches(x.family, &template.Matches{Values: res.Values, JSON: res.Typed, Count: res.Count, Groups: res.Groups, Each: res.Each})
		}
		if u.trace != nil {
			u.trace.Extractions = append(u.trace.Extractions, TraceExtraction{Variable: x.Variable(), Query: x.query, Value: res.Value, Found: res.Matched})
		}
		if !res.Found && fault == metrics.NoFault {
			fault, text = metrics.FaultExtraction, x.Variable()+": "+x.query+" found nothing"
			if res.Reason != "" {
				text = x.Variable() + ": " + res.Reason
			}
		}
	}
	return fault, text
}

// variable makes a response of a variable, for extractors that search one. One without a value is empty.
func (u *user) variable(name *template.Template) *extract.Response {
	text, err := name.Text(&u.ctx)
	if err != nil {
		text = ""
	}
	return &extract.Response{Body: []byte(text)}
}

// forget gives the variables of a request that brought no answer their defaults, so that nobody goes on with stale values.
func (r *request) forget(u *user) {
	for i := range r.extractions {
		x := &r.extractions[i]
		u.vars.Set(x.slot, template.String(x.fallback))
		if x.keep {
			u.vars.SetMatches(x.family, nil)
		}
	}
}

func (r *request) check(u *user, v *extract.Response) (fault metrics.Fault, text string) {
	for i := range r.checks {
		k := &r.checks[i]
		ok, saw := k.Test(v, &u.ctx)
		if u.trace != nil {
			u.trace.Checks = append(u.trace.Checks, TraceCheck{Text: k.text, OK: ok, Saw: saw})
		}
		if !ok && fault == metrics.NoFault {
			fault, text = metrics.FaultAssertion, saw
			if u.trace == nil {
				return fault, text // the first failure decides; the others are only of interest to a reader
			}
		}
	}
	return fault, text
}
