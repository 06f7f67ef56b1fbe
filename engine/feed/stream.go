package feed

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// A streamed file is read ahead by windows: at most windowsAhead of them, of at most windowRows
// rows or about windowBytes bytes each, so that memory stays bounded.
const (
	windowRows   = 512
	windowBytes  = 1 << 20
	windowsAhead = 4
)

// stream hands out the rows of a file that is too large for memory. Users share a window and take
// rows from it by an atomic counter; only who finds it used up waits for the next one.
type stream struct {
	open    func() (reader, io.Closer, error) // at the first row of data
	loop    bool
	random  bool
	seed    uint64
	columns int
	path    string
	part    Part // nil: all rows

	current atomic.Pointer[window]

	mu      sync.Mutex
	running bool          // guarded by mu: the reader was started
	windows chan *window  // guarded by mu; closed by the reader at the end
	quit    chan struct{} // guarded by mu
	done    chan struct{} // guarded by mu: closed when the reader has ended
	err     error         // written by the reader before it closes windows
	failed  atomic.Bool
}

// window is a stretch of rows.
type window struct {
	rows []Row
	last bool // no row comes behind it
	next atomic.Int64
}

func (s *stream) next() (Row, bool) {
	for {
		w := s.current.Load()
		if w != nil {
			if i := w.next.Add(1) - 1; i < int64(len(w.rows)) {
				return w.rows[i], true
			}
		}
		if !s.advance(w) {
			return Row{}, false
		}
	}
}

// spent reports whether no row is left. It is exact once the last row has been handed out.
func (s *stream) spent() bool {
	w := s.current.Load()
	return w != nil && w.last && w.next.Load() >= int64(len(w.rows))
}

// advance replaces a window that is used up, unless another user did it already.
func (s *stream) advance(used *window) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current.Load() != used {
		return true
	}
	if !s.running {
		s.start()
	}
	w, ok := <-s.windows
	if ok {
		s.current.Store(w)
	}
	return ok
}

// start begins to read ahead. The caller holds mu.
func (s *stream) start() {
	s.running = true
	s.windows, s.quit, s.done = make(chan *window, windowsAhead), make(chan struct{}), make(chan struct{})
	go s.read(s.windows, s.quit, s.done)
}

// stop ends the reader and forgets what it read.
func (s *stream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		close(s.quit)
		<-s.done
	}
	s.running, s.err = false, nil
	s.failed.Store(false)
	s.current.Store(nil)
}

// failure is why the reader ended early.
func (s *stream) failure() error {
	if !s.failed.Load() {
		return nil
	}
	return s.err
}

// read fills windows until the file, or the run, has ended.
func (s *stream) read(windows chan<- *window, quit <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	defer close(windows)
	number := int64(0)
	out := &exit{windows: windows, quit: quit, ahead: !s.loop}
	for pass := uint64(0); ; pass++ {
		err := s.readPass(&number, out, rand.New(rand.NewPCG(s.seed, pass)))
		if errors.Is(err, errStopped) {
			return
		}
		if err != nil {
			_ = out.flush(false) // what was read before the mistake is handed out before it is told
			s.err = err
			s.failed.Store(true)
			return
		}
		if !s.loop {
			_ = out.flush(true) // stopped or not, this was all
			return
		}
	}
}

var errStopped = errors.New("stopped")

// exit is where windows leave the reader.
type exit struct {
	windows chan<- *window
	quit    <-chan struct{}
	ahead   bool // a window is held back until it is known whether it is the last one
	held    *window
}

// send lets a window out, or the one before it.
func (e *exit) send(w *window) error {
	if len(w.rows) == 0 { // all of it is for other processes
		select {
		case <-e.quit:
			return errStopped
		default:
			return nil
		}
	}
	if !e.ahead {
		return e.pass(w)
	}
	if err := e.flush(false); err != nil {
		return err
	}
	e.held = w
	return nil
}

// flush lets the window out that is held back.
func (e *exit) flush(last bool) error {
	w := e.held
	if w == nil {
		return nil
	}
	e.held, w.last = nil, last
	return e.pass(w)
}

func (e *exit) pass(w *window) error {
	select {
	case e.windows <- w:
		return nil
	case <-e.quit:
		return errStopped
	}
}

// readPass reads the file once; number is that of the next row.
func (s *stream) readPass(number *int64, out *exit, rng *rand.Rand) error {
	r, closer, err := s.open()
	if err != nil {
		return s.explain(err)
	}
	defer func() { _ = closer.Close() }() // nothing was written
	for total := 0; ; {
		w, err := s.fill(r)
		if total += len(w.rows); total == 0 && err == io.EOF {
			return errors.New("the file has no rows any more")
		}
		if s.random {
			shuffleWindow(w.rows, rng)
		}
		first := *number
		*number += int64(len(w.rows))
		if s.part != nil {
			w.rows = owned(w.rows, first, s.part)
		}
		if out.send(w) != nil {
			return errStopped
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return s.explain(err)
		}
	}
}

// owned are the rows that belong to this process; first is the number of the first one.
func owned(rows []Row, first int64, part Part) []Row {
	mine := rows[:0]
	for i, row := range rows {
		if part.Owns(first + int64(i)) {
			mine = append(mine, row)
		}
	}
	clear(rows[len(mine):])
	return mine
}

// explain puts the place in front of a mistake in the file.
func (s *stream) explain(err error) error {
	var bad *rowError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s:%d: %s", s.path, bad.line, bad.message)
	}
	return fmt.Errorf("read %s: %w", s.path, err)
}

// fill reads one window.
func (s *stream) fill(r reader) (*window, error) {
	w := &window{}
	for size := 0; len(w.rows) < windowRows && size < windowBytes; {
		fields, _, err := r.next()
		if err != nil {
			return w, err
		}
		for _, field := range fields {
			size += len(field) + 16
		}
		w.rows = append(w.rows, Row{fields[:min(len(fields), s.columns)], r.types()})
	}
	return w, nil
}
