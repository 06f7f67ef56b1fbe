package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
)

// Defaults of [SweepOptions].
const (
	DefaultRunTime   = time.Minute
	DefaultSpawnRate = 10.0 // users per second
	DefaultWarmUp    = 5 * time.Second
	DefaultPause     = time.Second
)

// SweepOptions are the axes of a sweep and how each run is made.
type SweepOptions struct {
	Addresses []string      // base addresses; empty: that of the document
	Users     []int         // empty: those of the document
	RunTime   time.Duration // of each run, its ramp included; > 0
	SpawnRate float64       // users per second; > 0
	WarmUp    time.Duration // of the run before the first of each address; 0: none
	Pause     time.Duration // between two runs
	Rest      Pause         // nil: real time

	Name     string                    // of the document, for people
	Dir      string                    // folder; each run gets one inside it
	Started  time.Time                 //
	Version  string                    //
	Earlier  *report.Sweep             // rows of it that are complete are kept; nil: begin anew
	Unusable map[string]string         // address: why it cannot be measured
	Prober   Prober                    // holds the backends' answers against those of the first; nil: nobody
	Save     func(*report.Sweep) error // after each run, so that nothing is lost; nil: nowhere
	Progress func(Progress)            // nil: nobody
}

// sweep is a sweep under way.
type sweep struct {
	SweepOptions
	load   Loader
	runner Runner
	base   *config.File
	out    *report.Sweep
	began  int // runs begun, warm-ups not counted
	first  bool
}

// RunSweep measures every number of users on every address, one address after the other. The sweep is returned also with an
// error, and when the context was cancelled: it holds what was measured until then.
func RunSweep(ctx context.Context, loader Loader, runner Runner, o SweepOptions) (*report.Sweep, error) {
	s := &sweep{SweepOptions: o, load: loader, runner: runner, first: true}
	s.out = &report.Sweep{
		Name: o.Name, Started: o.Started, Version: o.Version, RunTimeS: o.RunTime.Seconds(), SpawnRate: o.SpawnRate, WarmUpS: o.WarmUp.Seconds(),
	}
	if err := s.axes(); err != nil {
		return s.out, err
	}
	if err := s.resume(); err != nil {
		return s.out, err
	}
	if err := s.validate(); err != nil {
		return s.out, err
	}
	s.answers(ctx)
	// A file with a head and no row says that the sweep has begun, and shows a folder that cannot be written before the first run.
	if err := s.save(); err != nil {
		return s.out, err
	}
	for _, api := range s.out.APIs {
		if err := s.address(ctx, api); err != nil {
			return s.out, err
		}
	}
	s.out.Interrupted = ctx.Err() != nil
	return s.out, s.save()
}

// axes completes the axes from the document and checks them.
func (s *sweep) axes() error {
	file, err := load(s.load, nil)
	if err != nil {
		return err
	}
	s.base = file
	if s.out.Document, err = digest(file); err != nil {
		return err
	}
	if len(file.Executions) != 1 {
		return fmt.Errorf("a sweep needs a document with one execution, and this one has %d: which of them would the users be of?", len(file.Executions))
	}
	s.out.APIs, s.out.Users = slices.Clone(s.Addresses), slices.Clone(s.Users)
	if len(s.out.APIs) == 0 {
		address := ""
		if scenario := file.Scenario(file.Executions[0].Scenario); scenario != nil {
			address = scenario.DefaultAddress.Value
		}
		if address == "" {
			return errors.New("no address to measure: name some with --api-address")
		}
		s.out.APIs = []string{address}
	} else if len(s.targets()) == 0 {
		return errors.New("no scenario has a default-address that an address of the list could take the place of: write default-address, and requests with paths only")
	}
	if len(s.out.Users) == 0 {
		s.out.Users = []int{file.Executions[0].Load.Concurrency.Or(1)}
	}
	for i, api := range s.out.APIs {
		if slices.Contains(s.out.APIs[:i], api) {
			return fmt.Errorf("address %s stands in the list twice", api)
		}
	}
	for i, users := range s.out.Users {
		switch {
		case slices.Contains(s.out.Users[:i], users):
			return fmt.Errorf("%d users stand in the list twice", users)
		case users < 1:
			return fmt.Errorf("%d users: want 1 or more", users)
		case s.ramp(users) >= s.RunTime:
			return fmt.Errorf("starting %d users at %g per second takes %v, and a run has only %v: lengthen --run-time or raise --spawn-rate",
				users, s.SpawnRate, s.ramp(users), s.RunTime)
		}
	}
	return nil
}

// answers holds every usable address against the first one.
func (s *sweep) answers(ctx context.Context) {
	s.out.Findings = []string{}
	if s.Prober == nil {
		return
	}
	first := ""
	for _, api := range s.out.APIs {
		switch {
		case s.Unusable[api] != "":
		case first == "":
			first = api
		default:
			findings, err := SameAnswers(ctx, s.Prober, first, api)
			if err != nil {
				findings = []string{"content: " + err.Error()} // the runs will tell more
			}
			s.out.Findings = append(s.out.Findings, findings...)
		}
	}
}

// targets are the scenarios whose address is replaced.
func (s *sweep) targets() (names []string) {
	for _, scenario := range s.base.Scenarios {
		if scenario.DefaultAddress.Set() {
			names = append(names, scenario.Name)
		}
	}
	return names
}

// ramp is how long it takes until all users have started.
func (s *sweep) ramp(users int) time.Duration {
	return time.Duration(float64(users) / s.SpawnRate * float64(time.Second))
}

// resume takes over the rows of an earlier sweep, which must have been made in the same way.
func (s *sweep) resume() error {
	e := s.Earlier
	if e == nil {
		return nil
	}
	for _, x := range []struct {
		what      string
		then, now any
	}{
		{"the document or an -o value of it", e.Document, s.out.Document},
		{"--run-time (s)", e.RunTimeS, s.out.RunTimeS},
		{"--spawn-rate", e.SpawnRate, s.out.SpawnRate},
		{"--warm-up (s)", e.WarmUpS, s.out.WarmUpS},
	} {
		if x.then != x.now {
			return fmt.Errorf("the sweep to resume was made with another value of %s (%v then, %v now): its rows cannot stand beside new ones", x.what, x.then, x.now)
		}
	}
	s.out.Started = e.Started
	s.out.Rows = slices.Clone(e.Rows)
	s.out.Sort()
	return nil
}

// validate loads the document of every run, so that a mistake shows before the first one.
func (s *sweep) validate() error {
	for _, api := range s.out.APIs {
		for _, users := range s.out.Users {
			if _, err := load(s.load, s.overrides(api, users, s.RunTime)); err != nil {
				return err
			}
		}
	}
	return nil
}

// overrides are the values of one run: a closed load of so many users that ends after runTime.
func (s *sweep) overrides(api string, users int, runTime time.Duration) []string {
	var list []string
	if len(s.Addresses) > 0 {
		for _, name := range s.targets() {
			list = append(list, "scenarios."+config.PathPart(name)+".default-address="+api)
		}
	}
	for _, key := range []string{"ramp-up", "steps", "stages", "iterations", "total-iterations", "arrival-rate", "max-concurrency", "max-wait", "distribution"} {
		list = append(list, "execution.0.^"+key+"=")
	}
	hold := runTime - s.ramp(users)
	return append(list,
		"execution.0.concurrency="+strconv.Itoa(users),
		"execution.0.spawn-rate="+strconv.FormatFloat(s.SpawnRate, 'f', -1, 64),
		"execution.0.hold-for="+milliseconds(hold))
}

// milliseconds writes a duration as the language reads it.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10) + "ms"
}

// address makes the runs that are missing of one address.
func (s *sweep) address(ctx context.Context, api string) error {
	warm := s.WarmUp <= 0
	for _, users := range s.out.Users {
		s.began++
		if row := s.out.Row(api, users); row != nil && row.Complete() || ctx.Err() != nil {
			continue
		}
		if why := s.Unusable[api]; why != "" {
			s.out.Put(report.SweepRow{API: api, Users: users, Outcome: report.ResultError, Error: why})
			continue
		}
		if !warm {
			if err := s.warmUp(ctx, api, users); err != nil {
				return err
			}
			warm = true
		}
		if err := s.run(ctx, api, users); err != nil {
			return err
		}
	}
	return nil
}

// warmUp loads an address for a while without counting. What fails here will fail again, and be told, in the run.
func (s *sweep) warmUp(ctx context.Context, api string, users int) error {
	runTime := s.WarmUp
	for users > 1 && s.ramp(users) >= runTime {
		users /= 2
	}
	file, err := load(s.load, s.overrides(api, users, max(runTime, s.ramp(users)+time.Second)))
	if err != nil {
		return err
	}
	s.rest(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // an interruption is no error of the sweep
	}
	s.tell("warm-up of " + api)
	_, err = s.runner.Run(ctx, withoutCriteria(file), RunOptions{Dir: filepath.Join(s.Dir, "warm-up-"+s.folder(api)), Name: "warm-up of " + api})
	return err
}

// run makes one run and keeps its row.
func (s *sweep) run(ctx context.Context, api string, users int) error {
	file, err := load(s.load, s.overrides(api, users, s.RunTime))
	if err != nil {
		return err
	}
	s.rest(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // an interruption is no error of the sweep
	}
	name := fmt.Sprintf("%s, %s", api, report.Plural(users, "user"))
	s.tell(name)
	dir := filepath.Join(s.Dir, fmt.Sprintf("%s-%d-users", s.folder(api), users))
	result, err := s.runner.Run(ctx, file, RunOptions{Dir: dir, Name: name})
	row := report.SweepRow{API: api, Users: users, Artifacts: dir, Outcome: report.ResultError}
	switch {
	case errors.Is(err, ErrInvalid):
		return err
	case err != nil:
		row.Error = err.Error()
	default:
		fillRow(&row, result.Outcome)
	}
	s.out.Put(row)
	s.out.Sort()
	return s.save()
}

// folder names the folders of the runs on an address.
func (s *sweep) folder(api string) string {
	return folderNames(s.out.APIs)[slices.Index(s.out.APIs, api)]
}

// fillRow reads the figures off an outcome.
func fillRow(row *report.SweepRow, o *report.Outcome) {
	t := report.NewTotals(o.Snapshot)
	row.Requests, row.Failures, row.BytesReceived = t.Total.Finished, t.Total.Failed, t.Total.BytesIn
	row.DurationS, row.Outcome = o.Duration.Seconds(), o.Result
	if o.Result != report.ResultPassed && o.Result != report.ResultInterrupted {
		row.Error = o.Reason
	}
	if r := &t.Total.Response; r.Count > 0 {
		row.MedianMS, row.P95MS, row.P99MS = r.Quantile(50)/1e6, r.Quantile(95)/1e6, r.Quantile(99)/1e6
		row.MeanMS, row.MinMS, row.MaxMS = r.Mean()/1e6, float64(r.Min)/1e6, float64(r.Max)/1e6
	}
	row.RPS, _ = t.Rate(t.Total)
	row.GeneratorCPU, row.GeneratorLimited, row.GeneratorReason = 100*t.Health.CPUShareMean, t.Health.Bottleneck, t.Health.Reason
}

// rest pauses before every run but the first.
func (s *sweep) rest(ctx context.Context) {
	if !s.first {
		s.Rest.wait(ctx, s.Pause)
	}
	s.first = false
}

func (s *sweep) save() error {
	if s.Save == nil {
		return nil
	}
	return s.Save(s.out)
}

// tell reports which run begins and how long the rest will take.
func (s *sweep) tell(name string) {
	if s.Progress == nil {
		return
	}
	left := time.Duration(0)
	warm := map[string]bool{}
	for _, api := range s.out.APIs {
		for _, users := range s.out.Users {
			if row := s.out.Row(api, users); row != nil && row.Complete() || s.Unusable[api] != "" {
				warm[api] = warm[api] || row != nil
				continue
			}
			left += s.RunTime + s.Pause
			if !warm[api] && s.WarmUp > 0 {
				left += s.WarmUp + s.Pause
			}
			warm[api] = true
		}
	}
	s.Progress(Progress{Run: s.began, Runs: len(s.out.APIs) * len(s.out.Users), Name: name, Left: left})
}
