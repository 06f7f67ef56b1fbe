package wire

import "time"

// Clock gives nanoseconds since the start of the run. It must be monotonic.
type Clock func() int64

// Limits that apply where a [Request] says nothing.
const (
	DefaultMaxHead        = 64 << 10         // bytes of all heads and trailers of an exchange
	DefaultMaxBody        = 64 << 20         // bytes of a kept body
	DefaultConnectTimeout = 30 * time.Second // resolving, connecting and the TLS handshake
)

// Request is one rendered request. The exchange reads it and keeps no part of it afterwards; it may be
// used again, also by several connections at once.
type Request struct {
	Method     string // only "HEAD" matters here: its answer has no body
	Head       []byte // from the request line to the empty line; may hold the body as well, if Body is empty
	Body       []byte
	Idempotent bool // may be sent again when a reused connection turned out to be closed

	KeepHead bool // fill Response.Head
	KeepBody bool // fill Response.Body; otherwise its bytes are only counted
	MaxHead  int  // bytes, 0: [DefaultMaxHead]
	MaxBody  int  // bytes of a kept body, 0: [DefaultMaxBody]

	ConnectTimeout   time.Duration // name, connection and TLS; 0: [DefaultConnectTimeout]
	FirstByteTimeout time.Duration // from the connection being there to the first byte; 0: none
	TotalTimeout     time.Duration // from the start to the last byte; 0: none

	Close bool // do not use the connection again; the head should say "Connection: close"
}

// Response is what came of a [Request]. A zero Response is ready to use, and to use again: each
// [Conn.Do] overwrites it. Head and Body are valid until [Response.Release] or the next Do with it.
//
// Exchanges is what a server counts: 0 when there was no connection or nothing was sent, else 1; 2 when the request was
// sent again after the server had read it and closed. A request that was written into a connection which the server had
// closed already is none: on Linux the system tells whether the server's had taken it before it said farewell. What
// cannot be known is whether a request was read before a connection was reset, as happens when a server closes in
// just the moment in which a request comes; it counts. Elsewhere than on Linux a request that ended a reused connection
// without an answer is taken for one that came too late.
type Response struct {
	Status    int    // 0: none came
	Head      []byte // with KeepHead: status line to empty line, as it came
	Body      []byte // with KeepBody: without transfer coding, still with content coding
	BodyBytes int64  // length of the body without transfer coding, kept or not
	Coding    Coding // content coding of the body

	Fault  Fault
	Detail string // one sentence about the fault, "" without

	BytesIn       int64 // all bytes of the answer, interim ones and framing included (over TLS: the plain text)
	BytesOut      int64 // bytes handed to the kernel, those of a first try included
	NewConnection bool  // a connection was made for it
	Queued        int64 // ns of the connect phase that it waited for a free dialer
	Retried       int   // 1 when a reused connection was found closed only after sending, and the request sent again
	Exchanges     int   // requests that went out, see below
	Closed        bool  // the connection did not outlive the exchange

	Timing Timing

	buf  *buffer
	pool *buffers
}

// Timing is when the phases of an exchange ended, in [Clock] time. Each is at or after the one before;
// a phase that was skipped, or not reached, has the time of its predecessor, so that the differences add up.
type Timing struct {
	Start     int64
	DNS       int64 // name resolved
	Connected int64 // includes waiting for a free dialer
	TLS       int64 // handshake finished
	Sent      int64 // last byte of the request handed to the kernel
	FirstByte int64
	End       int64 // last byte of the answer, or the moment of the fault
}

// reset prepares for an exchange that starts now. It sets fields one by one, here and below in [answer.reset]: a whole value
// would be made on the stack of a user who then waits above it.
func (r *Response) reset(pool *buffers, now int64) {
	r.Release()
	*r = Response{}
	r.pool = pool
	t := &r.Timing
	t.Start, t.DNS, t.Connected, t.TLS, t.Sent = now, now, now, now, now
}

// Release gives Head and Body back. Call it before the user waits for anything, so that who waits holds
// no buffer; the next [Conn.Do] with this Response does it otherwise.
func (r *Response) Release() {
	if r.buf != nil {
		r.pool.put(r.buf)
		r.buf = nil
	}
	r.Head, r.Body = nil, nil
}
