package cluster

import (
	"errors"
	"fmt"

	"github.com/stacrun/stacrun/metrics"
)

// tick sends one interval.
func (a *agent) tick(iv *metrics.Interval) error {
	a.sequence = iv.Sequence
	frame, err := a.codec.Append(nil, iv)
	if err != nil {
		return err
	}
	text := message(kindTick, tick{
		Sequence: iv.Sequence, Reason: a.reason(), Over: a.director.finished(), Late: a.late, Doubt: (a.roundTrip + 1) / 2,
	}, frame)
	if len(text) > MaxMessage {
		err := fmt.Errorf("what happened in second %d takes %s, and a message holds %s: count under fewer labels", iv.Second, size(int64(len(text))), size(MaxMessage))
		a.send(kindDone, done{Ticks: iv.Sequence - 1, Error: err.Error()}, nil)
		return errors.Join(err, a.link.Flush())
	}
	a.keep(text)
	if err := a.link.Send(text); err != nil {
		a.log.Warn("send interval", "error", err) // it is asked for again
	}
	return nil
}

// keep holds a tick in store, as long as there is room for it.
func (a *agent) keep(text []byte) {
	a.ticks, a.kept = append(a.ticks, text), a.kept+len(text)
	for len(a.ticks) > keptTicks || a.kept > keptBytes && len(a.ticks) > 1 {
		a.kept -= len(a.ticks[0])
		a.ticks[0], a.ticks = nil, a.ticks[1:]
	}
}

// resend sends ticks again that did not arrive.
func (a *agent) resend(r resend) {
	first := a.sequence - uint64(len(a.ticks)) + 1
	for sequence := max(r.First, first); sequence <= min(r.Last, a.sequence); sequence++ {
		if err := a.link.Send(a.ticks[sequence-first]); err != nil {
			a.log.Warn("send interval again", "error", err)
			return
		}
	}
}

// lastWord says that all has been told.
func (a *agent) lastWord() {
	a.intervals = nil
	a.done = &done{Ticks: a.sequence, Left: a.left, Reason: a.reason()}
	if err := a.engine.Err(); err != nil {
		a.done.Error = err.Error()
	}
	if a.ending.Reason == "" {
		a.ending.Reason = a.engine.Reason()
	}
	a.send(kindDone, a.done, nil)
}
