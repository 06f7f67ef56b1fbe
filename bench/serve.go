package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// server is the Go target: a lean HTTP/1.1 server that answers known paths with prepared bytes.
type server struct {
	answers map[string][]byte
	delay   time.Duration
	count   atomic.Int64 // requests answered, those for the count left out
}

// serveMain runs the server as a process of its own until it is told to stop, or its parent, which holds the other side of stdin, has gone.
// It prints its two addresses.
func serveMain(ctx context.Context, args []string, stdin io.Reader) error {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	delay := f.Duration("delay", 0, "time until each answer")
	certificate := f.String("cert", "", "file with certificate and key")
	if err := f.Parse(args); err != nil {
		return err
	}
	s := &server{answers: map[string][]byte{}, delay: *delay}
	for path, body := range documents() {
		s.answers[path] = fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	s.answers["/echo"] = []byte("HTTP/1.1 200 OK\r\nServer: bench\r\nContent-Length: 2\r\n\r\nok")
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer plain.Close()
	pair, err := tls.LoadX509KeyPair(*certificate, *certificate)
	if err != nil {
		return err
	}
	secure, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		return err
	}
	defer secure.Close()
	for _, l := range []net.Listener{plain, secure} {
		go s.accept(l)
	}
	fmt.Println(plain.Addr(), secure.Addr())
	alone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // nothing is said there but its end
		close(alone)
	}()
	select {
	case <-alone:
	case <-ctx.Done():
	}
	return nil
}

func (s *server) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench serve:", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go s.serve(c)
	}
}

// serve answers one connection's requests. It reads what our own clients and the peers send, not all of HTTP.
func (s *server) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 2048)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		fields := bytes.Fields(line)
		if len(fields) < 3 {
			return
		}
		path, _, _ := bytes.Cut(fields[1], []byte("?"))
		if bytes.HasPrefix(path, []byte("/items/")) {
			path = []byte("/items/1")
		}
		answer, known := s.answers[string(path)]
		length, last, err := s.fields(r)
		if err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, r, length); err != nil {
			return
		}
		switch {
		case string(path) == "/count":
			_, err = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n%20d", s.count.Load())
		case !known:
			_, err = io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		default:
			if s.delay > 0 {
				time.Sleep(s.delay)
			}
			s.count.Add(1)
			_, err = c.Write(answer)
		}
		if err != nil || last {
			return
		}
	}
}

// fields reads the rest of a head: the body's length, and whether the connection is to end.
func (s *server) fields(r *bufio.Reader) (length int64, last bool, err error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return length, last, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case len(name) == 14 && bytes.EqualFold(name, []byte("content-length")):
			if length, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return 0, false, err
			}
		case len(name) == 10 && bytes.EqualFold(name, []byte("connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
}
