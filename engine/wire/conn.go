package wire

// Conn is one user's keep-alive connection to one target. Set Target and it is ready; it must not be copied
// after the first [Conn.Do]. All methods but [Conn.Abort] belong to the user's goroutine.
type Conn struct {
	Target *Target
}

// Do makes one exchange: it connects if need be, sends the request and reads the answer. It returns when the answer
// is complete or a fault ended it, never later than the timeouts, and tells everything in resp.
func (c *Conn) Do(req *Request, resp *Response) {
	resp.Release()
	*resp = Response{Fault: FaultConnect, Detail: "not connected"}
}

// Abort ends the running exchange, and any later one, with [FaultInterrupted]. It may be called from any goroutine.
func (c *Conn) Abort() {}

// Close closes the connection. The next [Conn.Do] makes a new one.
func (c *Conn) Close() {}
