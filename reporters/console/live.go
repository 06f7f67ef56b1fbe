package console

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// live is a live view that is shown: bubbletea's program, and the slot through which it gets what it shows.
type live struct {
	program  *tea.Program
	in       *os.File
	before   *term.State    // of the terminal; nil: not known
	signals  chan os.Signal // of job control
	wake     chan struct{}  // something is in news; holds one
	leave    chan struct{}  // closed when the view is to go
	leaving  sync.Once      // closes leave
	finished chan struct{}  // closed when the program has ended
	err      error          // of the program; to be read after finished
	rows     atomic.Int64   // of the terminal

	mu   sync.Mutex // guards news
	news news
}

// news is what the view has not been told yet. The newest of each kind counts.
type news struct {
	state  *state
	said   string
	signal os.Signal // that asks to be suspended, or tells that the process was continued
	quit   bool
}

// framesPerSecond is how often bubbletea looks whether there is something to draw: keys are answered within a fifth of a second, and
// nobody reads faster. Looking costs more than drawing does.
const framesPerSecond = 5

// patience is how long a terminal may take to be put back. One that takes nothing more must not keep reports from being written.
const patience = 3 * time.Second

var errStalled = errors.New("the terminal takes no more output")

// startLive takes the terminal.
func startLive(in, out *os.File, m *model) *live {
	l := &live{
		in: in, signals: make(chan os.Signal, 2), wake: make(chan struct{}, 1), leave: make(chan struct{}), finished: make(chan struct{}),
	}
	if before, err := term.GetState(in.Fd()); err == nil {
		l.before = before
	}
	m.live = l
	// Signals stay with the command: the first interruption stops gracefully. The keys that would send them arrive as keys.
	l.program = tea.NewProgram(m, tea.WithInput(input{in}), tea.WithOutput(output{out}), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	notifyJobs(l.signals)
	go func() {
		defer close(l.finished)
		ended := make(chan struct{})
		var forwarding sync.WaitGroup
		forwarding.Go(func() { l.forward(ended) })
		_, l.err = l.program.Run()
		close(ended)
		forwarding.Wait()
	}()
	return l
}

// forward passes signals of job control on until the program has ended.
func (l *live) forward(ended <-chan struct{}) {
	defer signal.Stop(l.signals)
	for {
		select {
		case s := <-l.signals:
			l.post(func(n *news) { n.signal = s })
		case <-ended:
			return
		}
	}
}

// post leaves news; it never waits.
func (l *live) post(change func(*news)) {
	l.mu.Lock()
	change(&l.news)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // it is awake already
	}
}

// listen is the command of bubbletea that waits for news.
func (l *live) listen() tea.Msg {
	select {
	case <-l.wake:
	case <-l.finished:
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := l.news
	l.news = news{}
	return fresh
}

// over reports whether the program has ended, be it by itself.
func (l *live) over() bool {
	select {
	case <-l.finished:
		return true
	default:
		return false
	}
}

// close takes the view away and waits until the terminal is as it was.
func (l *live) close() error {
	l.leaving.Do(func() { close(l.leave) })
	l.post(func(n *news) { n.quit = true })
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-l.finished:
		return l.err
	case <-limit.C:
		// What draws the view hangs in a write, and never gets to the mode of the terminal.
		if l.before != nil && foreground(l.in) {
			_ = term.Restore(l.in.Fd(), l.before) // or it is gone altogether
		}
		return errStalled
	}
}

// input is the terminal that bubbletea reads, and whose mode it sets.
type input struct{ *os.File }

// Fd is the terminal's descriptor while it belongs to this process, and none while it belongs to the shell or another job:
// setting its mode would stop the process then, or disturb the other.
func (i input) Fd() uintptr {
	if !foreground(i.File) {
		return ^uintptr(0)
	}
	return i.File.Fd()
}

// output is the terminal that bubbletea draws on.
type output struct{ *os.File }

// Write drops what would be drawn into the output of another job.
func (o output) Write(p []byte) (int, error) {
	if !foreground(o.File) {
		return len(p), nil
	}
	return o.File.Write(p)
}
