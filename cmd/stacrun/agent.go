package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/stacrun/stacrun/cluster"
	"github.com/stacrun/stacrun/cluster/nats"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/session"
)

// agentCmd is `stacrun agent`.
type agentCmd struct {
	Join        string        `required:"" placeholder:"ADDRESS" help:"Where the controller is, as it printed it."`
	Token       string        `env:"STACRUN_TOKEN" placeholder:"TOKEN" help:"Token of the run, if it is not part of the address."`
	Fingerprint string        `placeholder:"HEX" help:"Fingerprint of the controller's certificate, if it is not part of the address."`
	Name        string        `placeholder:"NAME" help:"What this agent is called in reports, instead of the name of the machine."`
	Wait        time.Duration `placeholder:"DURATION" help:"How long to wait for a controller that is not there yet, instead of for ever."`
	Stay        bool          `help:"Wait for the next run when one has ended."`
}

// Help is the long help.
func (agentCmd) Help() string {
	return "Joins a run that \"stacrun FILE --agents N\" controls: waits for it, is given a share of its users, arrivals and rows, and\n" +
		"sends what it measured. It needs nothing but this program: document, data and certificates come from the controller.\n\n" +
		"  stacrun agent --join tls://TOKEN@10.0.0.5:4222/FINGERPRINT     as the controller printed it\n" +
		"  STACRUN_TOKEN=… stacrun agent --join 127.0.0.1:4222            on the same machine\n\n" +
		"It ends with its run, with exit code 0 whatever the verdict: the controller judges. With --stay it waits for the next\n" +
		"run, which needs a fixed address and token (STACRUN_TOKEN at the controller) and, over TLS, its --certificate. Ctrl-C leaves\n" +
		"gracefully, exit code 2, and the controller says so. Exit code 1: refused, or the controller has gone."
}

// Run runs the verb.
func (c *agentCmd) Run(a *app) error {
	address, err := nats.ParseAddress(c.Join)
	if err != nil {
		return err
	}
	if address.Token == "" {
		address.Token = c.Token
	}
	if c.Fingerprint != "" {
		address.Fingerprint = strings.ToLower(strings.TrimPrefix(c.Fingerprint, "sha256:"))
	}
	if err := address.Check(); err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	if c.Name == "" {
		c.Name = host
	}
	surviveClosedPipe()
	a.aside.Patient(false)
	interrupts, release := a.interrupts()
	defer release()
	for pause := fullPause; ; {
		ending, err := c.serve(a, address, cluster.AgentOptions{
			Name: c.Name, Host: host, Version: buildVersion(), Machine: thisMachine(), Interrupts: interrupts, Say: a.progressLine, Logger: a.logger(),
			Engine: engine.Options{Functions: stacFunctions(), Version: version},
		}, interrupts)
		var refused *cluster.RefusedError
		full := errors.As(err, &refused) && refused.Full
		// The next controller may want an agent whose run had all that it needed, or whose controller has gone.
		again := full || errors.Is(err, cluster.ErrGone) || ending.Ran
		switch {
		case ending.Left:
			a.code = session.ExitInterrupted
			a.progressLine("left: " + ending.Reason)
			return nil
		case err != nil && (!c.Stay || !again):
			return err
		case full: // the run that it has served may not be over yet
			select {
			case <-time.After(pause):
			case reason := <-interrupts:
				a.code = session.ExitInterrupted
				a.progressLine("left: " + reason)
				return nil
			}
			pause = min(2*pause, longestPause)
			continue
		case err != nil:
			a.progressLine(err.Error())
		default:
			a.progressLine("the run has ended")
		}
		if !c.Stay {
			return nil
		}
		pause = fullPause
	}
}

// fullPause is how long an agent that stays lets a run go on that needs no more agents, before it asks again; twice as long each time, up to
// longestPause: the run under way should not notice.
const fullPause, longestPause = 500 * time.Millisecond, 10 * time.Second

// serve takes part in one run.
func (c *agentCmd) serve(a *app, address nats.Address, opts cluster.AgentOptions, interrupts chan string) (cluster.Ending, error) {
	waiting, cancel := context.WithCancelCause(a.ctx)
	defer cancel(nil)
	if c.Wait > 0 {
		timer := time.AfterFunc(c.Wait, func() { cancel(fmt.Errorf("no controller answered at %s within %s", address.Host, c.Wait)) })
		defer timer.Stop()
	}
	connected := make(chan struct{})
	interrupted := ""
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case interrupted = <-interrupts:
			cancel(errors.New(interrupted))
		case <-connected:
		}
	}()
	link, err := nats.Connect(waiting, address, func(reason error) {
		a.progressLine(fmt.Sprintf("waiting for the controller at %s (%v)", address.Host, reason))
	})
	close(connected)
	<-watched
	if err != nil {
		return cluster.Ending{Left: interrupted != "", Reason: interrupted}, err
	}
	defer link.Close()
	if interrupted != "" {
		return cluster.Ending{Left: true, Reason: interrupted}, nil
	}
	return cluster.Serve(a.ctx, link, opts)
}

// progressLine tells how long work fares; not with --quiet.
func (a *app) progressLine(text string) { fmt.Fprintln(a.progress(), text) }
