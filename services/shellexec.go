package services

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// shellExec runs shell commands around the run.
type shellExec struct {
	base
	stages  map[string][]*command
	env     Env
	cwd     string // of all commands; "": the working directory
	extra   map[string]string
	dir     string // artifacts folder, from Prepare on
	exit    int    // what is known of how the run ended
	reason  string
	ending  bool // exit and reason are known
	running map[string][]*process
}

// command is one entry of a stage.
type command struct {
	text          string
	background    bool
	ignoreFailure bool
	out, err      string // files; "": see the stages
	cwd           string
	env           map[string]string
	stage         string
	number        int // in the stage, from 1
	last          *process
}

// The stages in order; a background command of the first two is ended at the stage that mirrors its own.
const (
	stagePrepare     = "prepare"
	stageStartup     = "startup"
	stageCheck       = "check"
	stageShutdown    = "shutdown"
	stagePostProcess = "post-process"
)

func newShellExec(module config.Module, env Env) (Service, diag.List) {
	env = env.withDefaults()
	o := options{module: module}
	s := &shellExec{
		base: base{module.Name}, env: env, stages: map[string][]*command{}, running: map[string][]*process{},
		cwd: o.text("default-cwd", ""), extra: o.pairs("env"),
	}
	some := false
	for _, stage := range []string{stagePrepare, stageStartup, stageCheck, stageShutdown, stagePostProcess} {
		for _, n := range o.commands(stage) {
			if c := o.command(stage, n, len(s.stages[stage])+1); c != nil {
				s.stages[stage] = append(s.stages[stage], c)
				some = true
			}
		}
	}
	if some && env.NoExec {
		o.faults.Errorf("exec-forbidden", module.Pos, module.Path, "shellexec would run commands, which --no-exec forbids").
			WithHint("run without --no-exec, or remove the service")
	}
	return s, o.faults
}

// commands returns the entries of a stage, which may be one or a list.
func (o *options) commands(stage string) []*config.Node { return o.list(stage) }

func (o *options) command(stage string, n *config.Node, number int) *command {
	c := &command{stage: stage, number: number}
	if n.Kind == config.Scalar {
		c.text = n.Text
		return c
	}
	if runAt := n.Get("run-at").String(); runAt != "" && runAt != "local" {
		return nil
	}
	text := func(key string) string { return n.Get(key).String() }
	flag := func(key string) bool {
		v, _ := n.Get(key).Bool()
		return v
	}
	c.text, c.out, c.err, c.cwd = text("command"), text("out"), text("err"), text("cwd")
	c.background, c.ignoreFailure = flag("background"), flag("ignore-failure")
	if env := n.Get("env"); env != nil {
		c.env = map[string]string{}
		for _, e := range env.Entries {
			c.env[e.Key] = e.Value.String()
		}
	}
	if c.text == "" {
		o.fail(stage, n, "entry of %s has no command", stage).WithHint("write command: followed by what the shell shall run")
		return nil
	}
	return c
}

// Prepare runs the commands of that stage and remembers the artifacts folder.
func (s *shellExec) Prepare(ctx context.Context, dir string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	s.dir = absolute
	return s.stage(ctx, stagePrepare)
}

// Startup runs the commands of that stage.
func (s *shellExec) Startup(ctx context.Context) error { return s.stage(ctx, stageStartup) }

// Check runs the commands of that stage; one in the background is not started again while it runs.
func (s *shellExec) Check(ctx context.Context) error { return s.stage(ctx, stageCheck) }

// Ending tells how the run ends before Shutdown is called, so that the commands of that stage know it too.
func (s *shellExec) Ending(exitCode int, reason string) {
	s.exit, s.reason, s.ending = exitCode, reason, true
}

// Shutdown ends what startup and check left running and runs the commands of its stage.
func (s *shellExec) Shutdown(ctx context.Context) error {
	s.end(stageStartup, stageCheck)
	return s.stage(ctx, stageShutdown)
}

// PostProcess ends what prepare left running and runs the commands of its stage, those in the background
// included to their end.
func (s *shellExec) PostProcess(ctx context.Context, exitCode int, reason string) error {
	s.Ending(exitCode, reason)
	s.end(stagePrepare, stageStartup, stageCheck)
	err := s.stage(ctx, stagePostProcess)
	s.end(stageShutdown, stagePostProcess)
	return err
}

// stage runs the commands of a stage one after another; the first that fails ends it.
func (s *shellExec) stage(ctx context.Context, stage string) error {
	for _, c := range s.stages[stage] {
		if err := s.run(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *shellExec) run(ctx context.Context, c *command) error {
	if c.background {
		if c.last != nil && !c.last.ended() {
			return nil
		}
		p, err := s.start(c)
		if err != nil {
			return s.judge(c, err)
		}
		c.last = p
		s.running[c.stage] = append(slices.DeleteFunc(s.running[c.stage], (*process).ended), p)
		return nil
	}
	p, err := s.start(c)
	if err != nil {
		return s.judge(c, err)
	}
	err = p.wait(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("shellexec %s %q: %w", c.stage, diag.Shorten(c.text, 60), ctx.Err())
	}
	return s.judge(c, err)
}

// judge turns the failure of a command into an error unless it may be ignored.
func (s *shellExec) judge(c *command, err error) error {
	if err == nil {
		return nil
	}
	if c.ignoreFailure {
		s.env.Log.Warn("command failed, ignored", "stage", c.stage, "command", c.text, "error", err)
		return nil
	}
	return fmt.Errorf("shellexec %s %q: %w", c.stage, diag.Shorten(c.text, 60), err)
}

// end stops the background commands of stages.
func (s *shellExec) end(stages ...string) {
	for _, stage := range stages {
		for _, p := range s.running[stage] {
			if err := p.stop(); err != nil && !errors.Is(err, errStopped) {
				s.env.Log.Warn("background command", "stage", stage, "error", err)
			}
		}
		s.running[stage] = nil
	}
}

// environ returns the environment of a command.
func (s *shellExec) environ(c *command) []string {
	env := slices.Clone(s.env.Environ)
	for _, more := range []map[string]string{s.extra, c.env} {
		for name, value := range more {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, "TAURUS_ARTIFACTS_DIR="+s.dir)
	if s.ending {
		env = append(env, "TAURUS_EXIT_CODE="+strconv.Itoa(s.exit), "TAURUS_STOPPING_REASON="+s.reason)
	}
	return env
}

// folder returns the working directory of a command.
func (s *shellExec) folder(c *command) string {
	cwd := c.cwd
	if cwd == "" {
		cwd = s.cwd
	}
	if cwd == "artifacts-dir" {
		return s.dir
	}
	return cwd
}
