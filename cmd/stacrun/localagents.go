package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stacrun/stacrun/cluster/nats"
)

// localAgents are agents that a controller started on its own machine.
type localAgents struct {
	commands []*exec.Cmd
	ended    sync.WaitGroup
	leaving  atomic.Bool
}

// leaveGrace is how long they may take to end after the run.
const leaveGrace = 5 * time.Second

// startLocalAgents starts n processes of this program. They share the processors: each believes in as many as it gets, so
// that it can tell when it was the bottleneck. One that ends before its time is told to failed.
func startLocalAgents(n int, join nats.Address, out io.Writer, failed func(error)) (*localAgents, error) {
	l := &localAgents{}
	if n == 0 {
		return l, nil
	}
	program, err := os.Executable()
	if err != nil {
		return l, fmt.Errorf("find this program to start agents: %w", err)
	}
	token := join.Token
	join.Token = ""
	for i := range n {
		command := exec.Command(program, "agent", "--quiet", "--join", join.String(), "--name", "local-"+strconv.Itoa(i+1))
		command.Env = append(os.Environ(), "STACRUN_TOKEN="+token)
		if os.Getenv("GOMAXPROCS") == "" {
			command.Env = append(command.Env, "GOMAXPROCS="+strconv.Itoa(max(runtime.NumCPU()/n, 1)))
		}
		command.Stderr = out
		separate(command)
		if err := command.Start(); err != nil {
			l.wait()
			return l, fmt.Errorf("start an agent: %w", err)
		}
		l.commands = append(l.commands, command)
		l.ended.Go(func() {
			if err := command.Wait(); !l.leaving.Load() && err != nil {
				failed(fmt.Errorf("the agent %s has ended: %w", command.Args[len(command.Args)-1], err))
			}
		})
	}
	return l, nil
}

// wait waits for the agents to end, and ends those that do not.
func (l *localAgents) wait() {
	if l == nil {
		return
	}
	l.leaving.Store(true)
	timer := time.AfterFunc(leaveGrace, func() {
		for _, command := range l.commands {
			_ = command.Process.Kill() // it has ended already, or is frozen
		}
	})
	l.ended.Wait()
	timer.Stop()
}
