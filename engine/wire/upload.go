package wire

import "time"

// upload writes what the kernel did not take at once, beside the user's goroutine, which meanwhile watches for
// an answer: a server may refuse a large body before it has read all of it.
type upload struct {
	done chan struct{}
	sent int64 // bytes
	end  int64 // clock time
	err  error
	told bool // by the user's goroutine: its bytes have been counted
}

// startUpload begins to write the rest of the request.
func (c *Conn) startUpload() {
	head, body := c.req.Head, c.req.Body
	if done := c.resp.BytesOut - c.before; done < int64(len(head)) {
		head = head[done:]
	} else {
		body = body[done-int64(len(head)):]
		head = nil
	}
	u := &upload{done: make(chan struct{})}
	c.upload = u
	nc, clock := c.nc, c.Target.clock
	deadline := time.Time{}
	if c.req.TotalTimeout > 0 {
		deadline = c.wall(c.resp.Timing.Start + int64(c.req.TotalTimeout))
	}
	_ = nc.SetWriteDeadline(deadline)
	go func() {
		defer close(u.done)
		defer c.Target.names.watch()
		for _, b := range [2][]byte{head, body} {
			if len(b) == 0 {
				continue
			}
			var n int
			n, u.err = nc.Write(b)
			u.sent += int64(n)
			if u.err != nil {
				break
			}
		}
		u.end = clock()
	}()
}

// endUpload waits for the upload of this exchange, cutting it short if it still runs. An error says that
// the request was not sent to its end.
func (c *Conn) endUpload() error {
	u := c.upload
	if u == nil {
		return nil
	}
	select {
	case <-u.done:
		if u.told {
			return u.err
		}
	default:
		_ = c.tcp.SetWriteDeadline(time.Unix(1, 0)) // long ago
		<-u.done
	}
	c.resp.BytesOut += u.sent
	c.resp.Timing.Sent = max(u.end, c.resp.Timing.Sent)
	u.told = true
	return u.err
}
