package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stacrun/stacrun/engine"
)

// Protocol is the version of what goes over the bus. Agents of another one are refused, as are those of another version of the program.
const Protocol = 1

// kind says what a message is.
type kind string

// What agents send.
const (
	kindHello  kind = "hello"  // hello: it would like to take part; again until it is answered
	kindAlive  kind = "alive"  // alive: often, while there is no load to tell of
	kindClock  kind = "clock"  // clockSample: what time is it there?
	kindNeed   kind = "need"   // need: a piece of a file
	kindTick   kind = "tick"   // tick, with an interval as data
	kindEnded  kind = "ended"  // ended: its share of an execution is over
	kindDone   kind = "done"   // done: all of it is over; again until it is answered
	kindOrders kind = "orders" // ordersFrom: some were lost on the way
	kindLeave  kind = "leave"  // leave: it takes no part after all; only before the load begins, later done says so
)

// What the controller sends.
const (
	kindWelcome kind = "welcome" // welcome
	kindRefuse  kind = "refuse"  // refuse
	kindPlan    kind = "plan"    // planOf, with a bundle as data
	kindPiece   kind = "piece"   // piece, with bytes of a file as data
	kindTime    kind = "time"    // clockSample, answered
	kindLook    kind = "look"    // do the preflight
	kindBeat    kind = "beat"    // beat: once a second
	kindOrder   kind = "order"   // order, with variables as data
	kindResend  kind = "resend"  // resend: ticks were lost on the way
	kindThanks  kind = "thanks"  // the answer to done
	kindEnd     kind = "end"     // refuse: there will be no run, or no more of it
	kindUnknown kind = "unknown" // it was given up before the load began, or is of another controller's run
)

type (
	hello struct {
		Name     string          `json:"name"`
		Host     string          `json:"host"`
		Version  string          `json:"version"`
		Protocol int             `json:"protocol"`
		System   string          `json:"system"` // such as linux/amd64
		Cores    int             `json:"cores"`
		Machine  json.RawMessage `json:"machine,omitempty"` // description for reports; the controller only keeps it
	}
	welcome struct {
		Name string `json:"name"` // that the controller gave it
	}
	refuse struct {
		Reason string `json:"reason"`
		Full   bool   `json:"full,omitempty"` // the run has all its agents: another one may want more
	}
	planOf struct {
		Index int `json:"index"`
		Of    int `json:"of"`
	}
	need struct {
		Hash   string `json:"hash"`
		Offset int64  `json:"offset"`
	}
	piece struct {
		Hash   string `json:"hash"`
		Offset int64  `json:"offset"`
		Size   int64  `json:"size"` // of the whole file
	}
	// alive says how far the agent is, so that what was lost on the way is said again.
	alive struct {
		Plan   bool    `json:"plan"` // it has one
		Ready  *ready  `json:"ready,omitempty"`
		Looked *looked `json:"looked,omitempty"` // preflight
	}
	ready struct {
		Digest string `json:"digest"` // of the document as it was understood
		Error  string `json:"error"`  // "": the plan is made
	}
	looked struct {
		Errors   []string `json:"errors"`
		Warnings []string `json:"warnings"`
	}
	clockSample struct {
		Sent int64 `json:"sent"` // ns of the agent's clock
		Here int64 `json:"here"` // ns of the controller's clock when it was answered
	}
	beat struct {
		Orders int `json:"orders"` // given so far
	}
	ordersFrom struct {
		First int `json:"first"`
	}
	resend struct {
		First uint64 `json:"first"` // sequence numbers
		Last  uint64 `json:"last"`
	}
	tick struct {
		Sequence uint64   `json:"sequence"`
		Reason   string   `json:"reason"` // why the agent stops the run, "" while it does not
		Over     []string `json:"over"`   // executions of which its share is over
		Late     int64    `json:"late"`   // ns by which the load of an execution began after its moment here, the longest so far
		Doubt    int64    `json:"doubt"`  // ns by which its clock may differ from the controller's
	}
	leave struct {
		Reason string `json:"reason"`
	}
	ended struct {
		Execution string `json:"execution"`
	}
	done struct {
		Ticks  uint64 `json:"ticks"`  // sent in all
		Error  string `json:"error"`  // why it could not go on
		Left   string `json:"left"`   // why it was stopped where it runs
		Reason string `json:"reason"` // as in tick
	}
	// order is what changes the run. Orders are numbered from 1 and carried out in that order, each once.
	order struct {
		Number  int             `json:"number"`
		Do      verb            `json:"do"`
		Command *engine.Command `json:"command,omitempty"`
		Target  string          `json:"target,omitempty"` // execution; "": the run
		Start   int64           `json:"start,omitempty"`  // of the load, in ns since the start of the run; of the run, in ns of the controller's clock
		Reason  string          `json:"reason,omitempty"`
	}
)

// verb is what an order wants.
type verb string

const (
	doStart   verb = "start"   // the clock of the run
	doBegin   verb = "begin"   // the load of an execution
	doControl verb = "control" // change the load
	doStop    verb = "stop"    // gracefully
	doAbort   verb = "abort"   // end at once
	doOver    verb = "over"    // nothing will begin any more
)

// message makes the bytes of a message: length and JSON of its head, then the data.
func message(k kind, body any, data []byte) []byte {
	head, err := json.Marshal(struct {
		Kind kind `json:"kind"`
		Body any  `json:"body,omitempty"`
	}{k, body})
	if err != nil {
		panic(err) // the types above can all be marshalled
	}
	out := binary.AppendUvarint(make([]byte, 0, len(head)+len(data)+binary.MaxVarintLen32), uint64(len(head)))
	return append(append(out, head...), data...)
}

// received is a message that was taken apart. Its data shares the memory of the message.
type received struct {
	kind kind
	body json.RawMessage
	data []byte
}

func parse(text []byte) (*received, error) {
	length, n := binary.Uvarint(text)
	if n <= 0 || length > uint64(len(text)-n) {
		return nil, errors.New("malformed message")
	}
	var head struct {
		Kind kind            `json:"kind"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(text[n:n+int(length)], &head); err != nil {
		return nil, fmt.Errorf("malformed message: %w", err)
	}
	return &received{head.Kind, head.Body, text[n+int(length):]}, nil
}

// read takes over the body of a message; a malformed one gives the zero value.
func read[T any](r *received) (body T) {
	if json.Unmarshal(r.body, &body) != nil {
		var zero T
		return zero
	}
	return body
}
