package services

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// errStopped is how a background command ends that we stopped.
var errStopped = errors.New("stopped")

// stopGrace is how long a command may take to end after it was asked to.
const stopGrace = 5 * time.Second

// process is a running command with all its children.
type process struct {
	cmd    *exec.Cmd
	files  []io.Closer
	done   chan struct{} // closed when it has ended
	err    error         // set before done is closed
	stopBy func(*exec.Cmd, bool) error
}

// start runs a command through the shell. What it prints goes to its out and err files (appended), else
// for a foreground command to the output of the run, for a background one to a file in the artifacts folder.
func (s *shellExec) start(c *command) (*process, error) {
	p := &process{cmd: shell(c.text), done: make(chan struct{}), stopBy: signalGroup}
	p.cmd.Dir, p.cmd.Env = s.folder(c), s.environ(c)
	ownGroup(p.cmd)
	// A grandchild that keeps the output open must not keep us waiting.
	p.cmd.WaitDelay = stopGrace
	var err error
	if p.cmd.Stdout, err = s.output(p, c, c.out, "out"); err == nil {
		p.cmd.Stderr, err = s.output(p, c, c.err, "err")
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	s.env.Log.Info("command started", "stage", c.stage, "command", c.text, "pid", p.cmd.Process.Pid)
	go func() {
		p.err = errors.Join(p.cmd.Wait(), p.close())
		close(p.done)
	}()
	return p, nil
}

func (s *shellExec) output(p *process, c *command, name, kind string) (io.Writer, error) {
	switch {
	case name == "" && !c.background:
		return s.env.Output, nil
	case name == "":
		name = filepath.Join(s.dir, fmt.Sprintf("shellexec-%s-%d.%s", c.stage, c.number, kind))
	case !filepath.IsAbs(name):
		name = filepath.Join(s.folder(c), name)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	p.files = append(p.files, f)
	return f, nil
}

func (p *process) close() error {
	var err error
	for _, f := range p.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// wait returns how the process ended; when the context ends first, the process is stopped.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return p.stop()
	}
}

// stop asks the process and its children to end, and ends them by force after a grace.
func (p *process) stop() error {
	if p.ended() {
		return p.err
	}
	if err := p.stopBy(p.cmd, false); err != nil {
		return err
	}
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-p.done:
		return errStopped
	case <-timer.C:
	}
	if err := p.stopBy(p.cmd, true); err != nil {
		return err
	}
	<-p.done
	return errStopped
}
