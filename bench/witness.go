package main

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// answer says what a witness does with a request.
type answer uint8

const (
	complete answer = iota
	reset           // the connection, after reading the request
	truncate        // ends within the body
	silence         // nothing, until the client is gone
)

// witness is a server that remembers when it read each request and when it began to answer it.
type witness struct {
	listener net.Listener
	begun    time.Time
	served   atomic.Int64
	act      func(n int64, now time.Duration) (answer, time.Duration) // what to do with request n, from 0, and after how long
	mu       sync.Mutex
	lines    []*line // guarded by mu
	open     sync.WaitGroup
}

// line is what happened on one connection, in time since the witness began. What one side of it tells is guarded by
// the order of things: it is read when all connections have ended.
type line struct {
	accepted, ended time.Duration
	visits          []visit
}

// visit is a request: read is taken after its last byte was received, wrote before the first byte of the answer was sent.
// So the client cannot have measured less than lies between them, nor more than from the wrote before to the read after.
type visit struct{ read, wrote time.Duration }

func newWitness(act func(n int64, now time.Duration) (answer, time.Duration)) (*witness, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &witness{listener: l, begun: time.Now(), act: act}
	w.open.Go(w.accept)
	return w, nil
}

func (w *witness) url() string { return "http://" + w.listener.Addr().String() }

// end stops listening, waits for the connections to end and gives what happened on them.
func (w *witness) end() []*line {
	_ = w.listener.Close()
	w.open.Wait()
	return w.lines
}

func (w *witness) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		l := &line{accepted: time.Since(w.begun)}
		w.mu.Lock()
		w.lines = append(w.lines, l)
		w.mu.Unlock()
		w.open.Go(func() {
			defer c.Close()
			w.serve(c.(*net.TCPConn), l)
			l.ended = time.Since(w.begun)
		})
	}
}

func (w *witness) serve(c *net.TCPConn, l *line) {
	r := bufio.NewReaderSize(c, 4096)
	whole := []byte("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")
	for {
		if !skipRequest(r) {
			return
		}
		read := time.Since(w.begun)
		what, delay := w.act(w.served.Add(1)-1, read)
		if delay > 0 {
			time.Sleep(delay)
		}
		l.visits = append(l.visits, visit{read, time.Since(w.begun)})
		switch what {
		case reset:
			_ = c.SetLinger(0)
			return
		case truncate:
			_, _ = c.Write(whole[:len(whole)-3])
			return
		case silence:
			_, _ = io.Copy(io.Discard, r)
			return
		}
		if _, err := c.Write(whole); err != nil {
			return
		}
	}
}

// skipRequest reads a head and, if it tells a length, the body; false at the end.
func skipRequest(r *bufio.Reader) bool {
	var s server
	if _, err := r.ReadSlice('\n'); err != nil {
		return false
	}
	length, _, err := s.fields(r)
	if err != nil {
		return false
	}
	n, err := io.CopyN(io.Discard, r, length)
	return err == nil && n == length
}

// bounds gives for every request the least and the most that a client can have measured which sends the next request
// when it has the answer, in the order of the connections. The first request of a connection includes connecting, so
// launch, when the client was started, is its bound.
func bounds(lines []*line, launch time.Duration) (least, most []time.Duration) {
	for _, l := range lines {
		for i, v := range l.visits {
			before, after := launch, l.ended
			if i > 0 {
				before = l.visits[i-1].wrote
			}
			if i+1 < len(l.visits) {
				after = l.visits[i+1].read
			}
			least, most = append(least, v.wrote-v.read), append(most, after-before)
		}
	}
	return least, most
}
