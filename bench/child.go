package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// usage is what a finished process cost.
type usage struct {
	User   time.Duration `json:"user_ns"`
	System time.Duration `json:"system_ns"`
	Wall   time.Duration `json:"wall_ns"`
	PeakKB int64         `json:"peak_kb"` // resident; 0: not known here
}

// measure runs a process to its end. Its output is returned; an exit code other than 0 is an error with the end of it.
func measure(ctx context.Context, dir string, args []string) (usage, string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return usage{}, "", err
	}
	memory := newPeak(cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	var err error
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-ticker.C:
			memory.look()
		}
	}
	s := cmd.ProcessState
	u := usage{Wall: time.Since(begun), User: s.UserTime(), System: s.SystemTime(), PeakKB: memory.end(s)}
	if err != nil {
		return u, out.String(), fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, tail(out.String(), 600))
	}
	return u, out.String(), nil
}

// tail gives the last bytes of a text.
func tail(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}

// background is a process that runs until it is stopped. It hears of our end, however that comes, by the end of its standard input.
type background struct {
	cmd  *exec.Cmd
	held io.Closer // the other side of its standard input
	done chan struct{}
}

// start begins a process in the background. With wait it first reads a line from it, and returns that.
func start(args []string, wait bool) (*background, string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	held, err := cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	var out io.ReadCloser
	if wait {
		if out, err = cmd.StdoutPipe(); err != nil {
			return nil, "", err
		}
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	b := &background{cmd: cmd, held: held, done: make(chan struct{})}
	line := ""
	if wait {
		line, err = bufio.NewReader(out).ReadString('\n')
	}
	go func() {
		_ = cmd.Wait() // it closes its side of the pipe
		close(b.done)
	}()
	if err != nil {
		b.stop()
		return nil, "", fmt.Errorf("%s said nothing: %w", args[0], err)
	}
	return b, strings.TrimSpace(line), nil
}

// stop ends the process, by force if it has not gone within three seconds.
func (b *background) stop() {
	_ = b.held.Close()
	_ = b.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-b.done:
	case <-time.After(3 * time.Second):
		_ = b.cmd.Process.Kill()
		<-b.done
	}
}
