package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// capacityCmd is `stacrun capacity FILE…`.
type capacityCmd struct {
	studyFlags
	Objective []string `sep:"none" placeholder:"RULE" help:"What must hold, such as 'p95<250ms' or 'fail<1%'. Repeatable; all must hold."`
	Load      string   `enum:"arrival-rate,concurrency," default:"" help:"What is searched for: arrival-rate or concurrency (default: what the execution is loaded by)."`
	From      *float64 `placeholder:"N" help:"First load to try, in iterations per second or users (default 10)."`
	To        *float64 `placeholder:"N" help:"Highest load to try."`
	Step      string   `placeholder:"TIME" help:"Measured time of each step (default 20s)."`
	WarmUp    string   `name:"warm-up" placeholder:"TIME" help:"Time under load before each step is measured (default 3s)."`
	CoolDown  string   `name:"cool-down" placeholder:"TIME" help:"Rest after each step (default 2s)."`
	Precision *float64 `placeholder:"PERCENT" help:"How close the load that holds and the one that does not must be (default 5)."`
	Confirm   *int     `placeholder:"N" help:"How often the answer is measured again (default 2)."`
	Files     []string `arg:"" name:"file" help:"Scenario files, merged in order."`
}

// Help is the long help.
func (capacityCmd) Help() string {
	return "Raises the load until an objective breaks, closes in on the highest load that holds them all, and measures\n" +
		"it again. Criteria of the file are not judged. A \"capacity:\" block in the file can say the same.\n\n" +
		"  stacrun capacity scenarios/search.yml --objective 'p95<250ms' --objective 'fail<1%'\n" +
		"  stacrun capacity search.yml --objective 'p99 of search<1s' --load concurrency --to 500"
}

// Run runs the verb.
func (c *capacityCmd) Run(a *app) error {
	s, release := a.newStudy(c.Files)
	defer release()
	file, found := s.load(nil)
	if err := a.tell(found, file); err != nil {
		return err
	}
	o, err := c.options(file)
	if err != nil {
		return err
	}
	o.Dir = s.folder(file)
	if err := s.take(o.Dir); err != nil {
		return err
	}
	answer := filepath.Join(o.Dir, report.CapacityFile)
	if exists(answer) && !a.Overwrite {
		return fmt.Errorf("folder %s holds an earlier search: name another one, or say --overwrite", o.Dir)
	}
	if err := report.CheckWritable(answer); err != nil {
		return err
	}
	if err := s.beginStudy(file, &c.studyFlags, o.Dir); err != nil {
		return err
	}
	o.Progress, o.Head = s.meter.begin, s.head(c.Files)
	o.Save = func(found *report.Capacity) error { return (&report.Study{Dir: o.Dir, Capacity: found}).Save() }
	result, err := study.RunCapacity(s.ctx, s.load, s, o)
	s.meter.clear()
	if err != nil && len(result.Curve) == 0 {
		return s.explain(err)
	}
	switch {
	case err != nil:
		a.code = session.ExitError
	case result.Interrupted:
		a.code = session.ExitInterrupted
	case result.Low == 0:
		a.code = session.ExitFailed
	}
	told := s.finish(&report.Study{Dir: o.Dir, Capacity: result}, &c.studyFlags)
	if err != nil {
		return s.explain(errors.Join(err, told))
	}
	return told
}

// options joins flags, block and defaults.
func (c *capacityCmd) options(file *config.File) (o study.CapacityOptions, err error) {
	block := file.Studies.Capacity
	if block == nil {
		block = &config.CapacityStudy{}
	}
	texts := c.Objective
	if len(texts) == 0 {
		for _, t := range block.Objectives {
			texts = append(texts, t.Value)
		}
	}
	for _, text := range texts {
		objective, err := study.ParseObjective(text)
		if err != nil {
			return o, err
		}
		o.Objectives = append(o.Objectives, objective)
	}
	switch cmp.Or(c.Load, block.Load) {
	case "arrival-rate":
		o.Open = true
	case "":
		o.Open = study.Searched(file)
	}
	for _, t := range []struct {
		flag, text string
		fallback   *config.Value[time.Duration]
		standard   time.Duration
		to         *time.Duration
	}{
		{"step", c.Step, &block.Step, study.DefaultStep, &o.Step},
		{"warm-up", c.WarmUp, &block.WarmUp, study.DefaultStepWarm, &o.WarmUp},
		{"cool-down", c.CoolDown, &block.CoolDown, study.DefaultCoolDown, &o.CoolDown},
	} {
		if *t.to, err = parseTime(t.flag, t.text, t.fallback.Or(t.standard)); err != nil {
			return o, err
		}
	}
	if o.Step <= 0 {
		return o, errors.New("--step must be greater than 0")
	}
	o.From = given(c.From, cmp.Or(block.From.V, study.DefaultFrom))
	o.To = given(c.To, cmp.Or(block.To.V, study.DefaultTo))
	if c.From == nil && !block.From.Set {
		o.From = min(o.From, o.To)
	}
	o.Precision = given(c.Precision, cmp.Or(block.Precision.V, 100*study.DefaultPrecision)) / 100
	if o.Precision <= 0 || o.Precision >= 1 {
		return o, fmt.Errorf("--precision %g: want a share between 0 and 100 %%", 100*o.Precision)
	}
	o.Confirm = block.Confirm.Or(study.DefaultConfirm)
	if c.Confirm != nil {
		o.Confirm = *c.Confirm
	}
	return o, nil
}
