package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/scenarios"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// benchmarkCmd is `stacrun benchmark [FILE…]`.
type benchmarkCmd struct {
	studyFlags
	APIAddress []string `short:"a" name:"api-address" placeholder:"URL,…" help:"Base addresses to measure, one after another."`
	Users      []int    `short:"u" placeholder:"N,…" help:"Numbers of virtual users; a run for each."`
	RunTime    string   `name:"run-time" placeholder:"TIME" help:"Length of each run, the start of its users included (default 1m)."`
	SpawnRate  *float64 `name:"spawn-rate" placeholder:"N" help:"Users started per second (default 10)."`
	WarmUp     string   `name:"warm-up" placeholder:"TIME" help:"A run before the first one of each address that does not count (default 5s; 0 for none)."`
	Pause      string   `placeholder:"TIME" help:"Rest between two runs (default 1s)."`
	Ingest     bool     `help:"Create the sample collection where an API does not hold it."`
	Output     string   `placeholder:"FILE" help:"Write the table as CSV; -o FILE means the same."`
	Resume     bool     `help:"Go on with the sweep of the output file or artifacts folder: measure only what is missing."`
	Files      []string `arg:"" optional:"" name:"file" help:"Scenario files; without any the workload of stac-api-load-testing."`
}

// Help is the long help.
func (benchmarkCmd) Help() string {
	return "Runs the scenario with every number of users on every address, one after another, and prints a table.\n" +
		"A \"benchmark:\" block in the file can say the same; flags win over it.\n\n" +
		"  stacrun benchmark --api-address http://127.0.0.1:8085,http://127.0.0.1:8087 --users 10,50,100 -o results.csv\n" +
		"  stacrun benchmark scenarios/stac-workload.yml load.yml --users 10,20\n\n" +
		"Ctrl-C keeps what was measured; --resume goes on from there."
}

// Run runs the verb.
func (c *benchmarkCmd) Run(a *app) error {
	overrides, output, err := outputOption(a.cli.Options)
	if err != nil {
		return err
	}
	var documents []config.Document
	name := scenarios.SeedParity
	if len(c.Files) == 0 {
		text, err := scenarios.Files.ReadFile(scenarios.SeedParity)
		if err != nil {
			return err
		}
		documents = []config.Document{{Name: scenarios.SeedParity, Text: text}}
	} else {
		name = c.Files[0]
	}
	s, release := a.newStudy(c.Files, documents...)
	defer release()
	s.options = overrides

	file, found := s.load(nil)
	if err := a.tell(found, file); err != nil {
		return err
	}
	o, ingest, err := c.options(file.Studies.Benchmark)
	if err != nil {
		return err
	}
	if block := file.Studies.Benchmark; block != nil {
		output = cmp.Or(c.Output, output, block.Output.Value)
	} else {
		output = cmp.Or(c.Output, output)
	}
	o.Name, o.Started, o.Version, o.Progress, o.Prober = documentName([]string{name}), s.now, version, s.meter.begin, stacProber{}
	if o.Dir, o.Earlier, err = c.place(s, file, output); err != nil {
		return err
	}
	if err := s.take(o.Dir); err != nil {
		return err
	}
	if len(c.Files) == 0 || ingest {
		if o.Unusable, err = s.seeded(o.Addresses, o.Earlier, ingest); err != nil {
			return err
		}
	}
	if err := checkOutput(output, o.Dir); err != nil {
		return err
	}
	if err := s.beginStudy(file, &c.studyFlags, o.Dir); err != nil {
		return err
	}
	o.Save = func(sweep *report.Sweep) error { return saveSweep(sweep, o.Dir, output) }
	sweep, err := study.RunSweep(s.ctx, s.load, s, o)
	s.meter.clear()
	answer := &report.Study{Dir: o.Dir, Sweep: sweep}
	if err != nil {
		if len(sweep.Rows) > 0 {
			_ = a.print(func(w io.Writer) error { return sweep.WriteTable(w, terminalWidth(a.stdout), a.color(a.stdout)) })
		}
		return s.explain(errors.Join(err, s.endStudy(answer)))
	}
	a.code = sweepCode(sweep)
	if output != "" {
		answer.Files = append(answer.Files, report.Artifact{Path: output, Kind: "table"})
	}
	return s.finish(answer, &c.studyFlags)
}

// options joins flags, block and defaults.
func (c *benchmarkCmd) options(block *config.BenchmarkStudy) (o study.SweepOptions, ingest bool, err error) {
	if block == nil {
		block = &config.BenchmarkStudy{}
	}
	if o.RunTime, err = parseTime("run-time", c.RunTime, block.RunTime.Or(study.DefaultRunTime)); err != nil {
		return o, false, err
	}
	if o.WarmUp, err = parseTime("warm-up", c.WarmUp, block.WarmUp.Or(study.DefaultWarmUp)); err != nil {
		return o, false, err
	}
	if o.Pause, err = parseTime("pause", c.Pause, block.Pause.Or(study.DefaultPause)); err != nil {
		return o, false, err
	}
	o.SpawnRate = given(c.SpawnRate, cmp.Or(block.SpawnRate.V, study.DefaultSpawnRate))
	if o.SpawnRate <= 0 || o.RunTime <= 0 {
		return o, false, errors.New("--spawn-rate and --run-time must be greater than 0")
	}
	o.Users = c.Users
	if len(o.Users) == 0 {
		o.Users = block.Users
	}
	for _, address := range c.APIAddress {
		o.Addresses = append(o.Addresses, strings.TrimRight(strings.TrimSpace(address), "/"))
	}
	if len(o.Addresses) == 0 {
		for _, address := range block.Addresses {
			o.Addresses = append(o.Addresses, strings.TrimRight(address.Value, "/"))
		}
	}
	for _, address := range o.Addresses {
		if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
			return o, false, fmt.Errorf("address %q is not a URL such as http://127.0.0.1:8085", address)
		}
	}
	return o, c.Ingest || block.Ingest.V, nil
}

// place finds the folder of the sweep, and the sweep to resume.
func (c *benchmarkCmd) place(s *studyRun, file *config.File, output string) (string, *report.Sweep, error) {
	if !c.Resume {
		dir := s.folder(file)
		if exists(filepath.Join(dir, report.SweepFile)) && !s.Overwrite {
			return "", nil, fmt.Errorf("folder %s holds an earlier sweep: say --resume to go on with it, or --overwrite", dir)
		}
		return dir, nil, nil
	}
	dir := s.Artifacts
	if dir == "" && output == "" {
		return "", nil, errors.New("--resume needs -o FILE or --artifacts DIR, to know which sweep is meant")
	}
	if dir == "" {
		found, err := folderInCSV(output)
		if err != nil {
			return "", nil, err
		}
		if found == "" { // it was stopped before its first run, or never begun
			return s.folder(file), nil, nil
		}
		dir = found
	}
	text, err := os.ReadFile(filepath.Join(dir, report.SweepFile))
	if errors.Is(err, os.ErrNotExist) {
		return dir, nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("resume: %w", err)
	}
	earlier := &report.Sweep{}
	if err := json.Unmarshal(text, earlier); err != nil {
		return "", nil, fmt.Errorf("resume %s: %w", filepath.Join(dir, report.SweepFile), err)
	}
	return dir, earlier, nil
}

// folderInCSV finds the folder of a sweep by the table that it wrote; "" when the table has no row with a run.
func folderInCSV(name string) (string, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("resume: %w", err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) == 0 || len(records[0]) != len(report.SweepColumns()) {
		return "", fmt.Errorf("resume: %s is not a table of stacrun benchmark", name)
	}
	for _, record := range records[1:] {
		if run := record[len(record)-1]; run != "" {
			return filepath.Dir(run), nil
		}
	}
	return "", nil
}

// checkOutput sees before the first run whether the files can be written.
func checkOutput(output, dir string) error {
	if output != "" {
		if err := report.CheckWritable(output); err != nil {
			return err
		}
	}
	return report.CheckWritable(filepath.Join(dir, report.SweepFile))
}

// saveSweep writes the table as a whole, so that a kill leaves the one before.
func saveSweep(sweep *report.Sweep, dir, output string) error {
	err := (&report.Study{Dir: dir, Sweep: sweep}).Save()
	if err != nil || output == "" {
		return err
	}
	return report.WriteFile(output, sweep.WriteCSV)
}

// sweepCode gives the exit code: an error, an interruption, a failed criterion, in this order.
func sweepCode(sweep *report.Sweep) int {
	code := session.ExitPassed
	if sweep.Interrupted {
		code = session.ExitInterrupted
	}
	for i := range sweep.Rows {
		switch sweep.Rows[i].Outcome {
		case report.ResultError:
			return session.ExitError
		case report.ResultFailed:
			code = cmp.Or(code, session.ExitFailed)
		}
	}
	return code
}
