package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/stacrun/stacrun/cluster"
	"github.com/stacrun/stacrun/cluster/nats"
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
)

// crewFlags say who carries a run out.
type crewFlags struct {
	Agents          int           `placeholder:"N" help:"Have N agents carry out the load, and wait until they have joined."`
	LocalAgents     int           `name:"local-agents" placeholder:"N" help:"Start N agents on this machine; without --agents they are all."`
	Listen          string        `placeholder:"ADDRESS" help:"Where agents join, instead of 127.0.0.1:4222. On another address than loopback it is encrypted."`
	Certificate     string        `placeholder:"FILE" help:"PEM file with the controller's certificate and key, made when it is not there: agents that stay know it again."`
	AgentsWait      time.Duration `name:"agents-wait" default:"10m" placeholder:"DURATION" help:"How long to wait for agents to join."`
	AgentTimeout    time.Duration `name:"agent-timeout" default:"2.5s" placeholder:"DURATION" help:"Silence after which an agent is taken for lost."`
	AllowLostAgents bool          `name:"allow-lost-agents" help:"Judge a run although agents were lost; without it such a run ends with exit code 1."`
}

// crew is the agents of a run; nil where there are none.
type crew struct {
	controller *cluster.Controller
	hub        *nats.Hub
	local      *localAgents
	from       session.Source
	closed     bool
}

var _ session.Source = (*cluster.Source)(nil)

// errInterrupted is the end of a wait that Ctrl-C has ended.
var errInterrupted = errors.New("interrupted")

// gather waits for agents and gives them the plan; nil without --agents.
func (f *crewFlags) gather(a *app, l *loaded, prepared *session.Prepared, interrupts chan string) (_ *crew, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	number := max(f.Agents, f.LocalAgents)
	if number == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(a.ctx)
	defer cancel(nil)
	done := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-interrupts:
			cancel(errInterrupted)
		case <-done:
		}
	}()
	c := &crew{}
	defer func() {
		close(done)
		<-watched
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			c.close()
			if errors.Is(err, errInterrupted) {
				a.code = session.ExitInterrupted
				err = errors.New("interrupted before the load began")
			}
		}
	}()
	if err := alone(l, prepared); err != nil {
		return nil, a.tell(err, l.file)
	}
	bundle, found := cluster.Pack(ctx, systemInputs(l), packed(l), engine.Options{Functions: stacFunctions(), Version: version}, prepared.Plan.Seed())
	if found.HasErrors() {
		return nil, a.tell(found, l.file)
	}
	if err := c.open(a, f, number, cancel); err != nil {
		return nil, err
	}
	if err := c.controller.Gather(ctx, f.AgentsWait); err != nil {
		return nil, err
	}
	if err := c.controller.Distribute(ctx, bundle); err != nil {
		return nil, err
	}
	c.from = c.controller.Source(prepared.Plan)
	return c, nil
}

// leastTimeout is how long an agent may be silent at least: it sends an interval a second, and networks are not always quick.
const leastTimeout = 1500 * time.Millisecond

// check says what cannot be meant.
func (f *crewFlags) check() error {
	switch {
	case f.Agents < 0 || f.LocalAgents < 0:
		return fmt.Errorf("%d agents are less than none", min(f.Agents, f.LocalAgents))
	case f.Agents == 0 && f.LocalAgents == 0 && f.Listen != "":
		return errors.New("--listen is where agents join: say how many with --agents N")
	case f.Agents == 0 && f.LocalAgents == 0 && f.Certificate != "":
		return errors.New("--certificate is what agents know the controller by: say how many with --agents N")
	case f.AgentTimeout < leastTimeout:
		return fmt.Errorf("--agent-timeout %s: an agent tells once a second, so allow it %s at least", f.AgentTimeout, leastTimeout)
	case f.AgentsWait < 0:
		return fmt.Errorf("--agents-wait %s is less than no time; 0 waits for ever", f.AgentsWait)
	}
	return nil
}

// open begins to listen, says how to join, and starts the agents of this machine.
func (c *crew) open(a *app, f *crewFlags, number int, failed func(error)) (err error) {
	address := f.Listen
	switch {
	case address != "":
	case f.LocalAgents == number:
		address = "127.0.0.1:0" // nobody else needs to know it
	default:
		address = "127.0.0.1:4222"
	}
	token := os.Getenv("STACRUN_TOKEN")
	if c.hub, err = nats.Listen(nats.Options{Address: address, Token: token, Certificate: f.Certificate}); err != nil {
		return err
	}
	c.controller = cluster.NewController(c.hub, cluster.Options{
		Agents: number, Version: buildVersion(), LostAfter: f.AgentTimeout, AllowLost: f.AllowLostAgents, Logger: a.logger(), Dying: func() { _ = a.desk.Close() },
		Say: func(text string) {
			if !a.desk.Say(text) {
				a.progressLine(text)
			}
		},
	})
	if others := number - f.LocalAgents; others > 0 {
		join := c.hub.Join()
		if token != "" {
			join.Token = "" // whoever gave it has it
		}
		fmt.Fprintf(a.aside, "waiting for %s: stacrun agent --join %s\n", report.Plural(others, "agent"), join)
	}
	c.local, err = startLocalAgents(f.LocalAgents, c.hub.Join(), a.stderr, failed)
	return err
}

// alone says what of a file only one process can do.
func alone(l *loaded, prepared *session.Prepared) (list diag.List) {
	if l.file.Settings.Functional {
		list.Errorf("not-distributed", diag.Pos{}, "settings.functional", "a functional run is not carried out by agents").WithHint("leave --agents out")
	}
	for i, reporter := range prepared.Reporters {
		if _, wants := reporter.(report.SampleReporter); wants {
			pos := diag.Pos{}
			if i < len(l.file.Reporting) {
				pos = l.file.Reporting[i].Pos
			}
			for _, module := range l.file.Reporting {
				if module.Name == "jtl" {
					pos = module.Pos
				}
			}
			list.Errorf("not-distributed", pos, "", "this reporter writes every single sample, and agents send sums").WithHint("take it out of reporting, or leave --agents out")
		}
	}
	return list
}

// systemInputs names the files that were read, those of the system before the ones that were named.
func systemInputs(l *loaded) []string {
	if !l.opts.SystemConfigs || len(l.files) == 0 {
		return l.files
	}
	var names []string
	for _, input := range l.file.Inputs {
		if input.Name == l.files[0] {
			break
		}
		names = append(names, input.Name)
	}
	return append(names, l.files...)
}

// packed are the options of a document without what is resolved already.
func packed(l *loaded) config.Options {
	opts := l.opts
	opts.SystemConfigs = false
	return opts
}

func (c *crew) source() session.Source {
	if c == nil {
		return nil
	}
	return c.from
}

func (c *crew) names() []string {
	if c == nil {
		return nil
	}
	return c.controller.Names()
}

// machines are those that make the load; nil: this one does.
func (c *crew) machines() (list []report.Machine) {
	if c == nil {
		return nil
	}
	for _, text := range c.controller.Machines() {
		var m report.Machine
		if json.Unmarshal(text, &m) == nil {
			list = append(list, m)
		}
	}
	return list
}

// thisMachine describes where an agent runs, for the reports of its controller.
func thisMachine() json.RawMessage {
	text, err := json.Marshal(session.ThisMachine())
	if err != nil {
		return nil // reports do without it
	}
	return text
}

// buildVersion tells builds apart that have no version of their own, by the revision that they were made from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != "dev" || !ok {
		return version
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "-" + s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "-changed"
		}
	}
	return version + revision + changed
}

// close sends the agents home and waits for those of this machine.
func (c *crew) close() {
	if c == nil || c.closed {
		return
	}
	c.closed = true
	if c.controller != nil {
		c.controller.Close()
	}
	c.local.wait()
	if c.hub != nil {
		_ = c.hub.Close() // nothing of the run is on its way any more
	}
}
