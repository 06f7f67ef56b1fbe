package console

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// openPty makes a terminal.
func openPty(t *testing.T) (terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = screen.Close() }) // ends what still writes to it
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	err = errors.Join(err, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 200, Row: 60}))
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return terminal
}

// TestNobodyReadsTheTerminal shows a run on a terminal that takes no more output after the first second: each second is taken over all the same, and at the
// end the mode of the terminal is what it was, though the view could not be taken away.
func TestNobodyReadsTheTerminal(t *testing.T) {
	terminal := openPty(t)
	mode := func() unix.Termios {
		m, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	before := mode()
	desk := &Desk{In: terminal, Out: terminal, Hands: &hands{}}
	c := New(Options{Out: terminal, Desk: desk, Color: true})
	if err := c.Begin(reporttest.Run("")); err != nil {
		t.Fatal(err)
	}
	snap := metrics.NewSnapshot()
	for second := range int64(30) {
		iv := &metrics.Interval{Second: second, Load: []metrics.Load{{Execution: "x", Users: second}}}
		for label := range 60 {
			iv.Rows = append(iv.Rows, metrics.Row{Execution: "x", Label: strconv.Itoa(label) + " " + strings.Repeat("x", int(second+int64(label))%50), Finished: second, LastEnd: (second + 1) * 1e9})
		}
		snap.Add(iv)
		if err := c.Observe(iv, snap, nil); err != nil {
			t.Fatal(err)
		}
		if second == 0 {
			for raw := mode(); raw.Lflag&unix.ICANON != 0; raw = mode() { // until bubbletea has taken it
				continue
			}
			if err := unix.IoctlSetInt(int(terminal.Fd()), unix.TCXONC, 0); err != nil { // TCOOFF, as Ctrl-S
				t.Fatal(err)
			}
		}
		desk.Say("second " + strconv.FormatInt(second, 10))
	}
	outcome := reporttest.Outcome()
	if err := c.End(outcome); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, mode()); diff != "" {
		t.Errorf("the terminal's mode (-before +after):\n%s", diff)
	}
	if got := strings.Join(outcome.Notices, "\n"); !strings.Contains(got, errStalled.Error()) {
		t.Errorf("the terminal took all of it: %q", got)
	}
}
