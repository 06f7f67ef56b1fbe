package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// soaked is what a long run came to.
type soaked struct {
	Requests int64         `json:"requests"`
	Wall     time.Duration `json:"wall_ns"`
	CPU      time.Duration `json:"cpu_ns"`
	Memory   []resident    `json:"memory"`
}

// resident is the memory at a moment of the run.
type resident struct {
	At time.Duration `json:"at_ns"`
	KB int64         `json:"kb"`
}

// soakMain makes many requests with one run of the product, watches its memory and holds its counts against the server's.
func soakMain(ctx context.Context, o options) error {
	rig, err := newServedRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	target := rig.targets[0]
	work, err := caseNamed(o.cases[0])
	if err != nil {
		return err
	}
	users := o.users[0]
	args, err := stacrunArgs(rig.stacrun, job{work: work, users: users, requests: o.requests, url: target.url(work), dir: rig.dir})
	if err != nil {
		return err
	}
	before, err := target.count()
	if err != nil {
		return err
	}
	s, err := soak(ctx, args)
	if err != nil {
		return err
	}
	after, err := target.count()
	if err != nil {
		return err
	}
	served := after - before
	if target.countsItself {
		served--
	}
	s.Requests = served
	s.print(work, target, users)
	findings, err := s.hold(filepath.Join(rig.dir, "artifacts", "summary.json"), o.requests, users)
	if err != nil {
		return err
	}
	if err := writeJSON(o.json, map[string]any{"soak": s, "findings": findings}); err != nil {
		return err
	}
	for _, f := range findings {
		if o.check && !f.Pass {
			return errors.New("a finding does not hold")
		}
	}
	return nil
}

// hold sets the counts of the summary against the server's, and the memory late in the run against that of its beginning.
func (s *soaked) hold(summaryFile string, requests, users int) ([]finding, error) {
	text, err := os.ReadFile(summaryFile)
	if err != nil {
		return nil, err
	}
	summary := &said{}
	if err := json.Unmarshal(text, summary); err != nil {
		return nil, err
	}
	t := &truth{}
	each := int64((requests + users - 1) / users)
	t.equal("soak", "requests finished, as planned", summary.Requests.Finished, each*int64(users))
	t.equal("soak", "exchanges, as the server counted", summary.Requests.Exchanges, s.Requests)
	t.equal("soak", "requests started − interrupted − finished", summary.Requests.Started-summary.Requests.Interrupted-summary.Requests.Finished, 0)
	t.equal("soak", "iterations scheduled − started", summary.Iterations.Scheduled-summary.Iterations.Started, 0)
	t.equal("soak", "samples with status 200", summary.Total.Codes["200"], s.Requests)
	early, late := s.around(0.2), s.around(0.9)
	if late > 0 {
		t.hold("soak", "memory late in the run, early + 10 % + 2 MB", late, 0, early*1.1+2, "MB")
	}
	return t.findings, nil
}

// print tells what the run cost, and how its memory went.
func (s *soaked) print(work workload, target *target, users int) {
	fmt.Printf("soak: %s; %d users against %s: %d requests in %s, %.2f µs of CPU each\n", work.About, users, target.name,
		s.Requests, s.Wall.Round(time.Second), float64(s.CPU)/1e3/float64(max(s.Requests, 1)))
	fmt.Printf("%12s %12s\n", "at", "resident MB")
	for i := range 11 {
		if len(s.Memory) > 0 {
			m := s.Memory[(len(s.Memory)-1)*i/10]
			fmt.Printf("%12s %12.1f\n", m.At.Round(100*time.Millisecond), float64(m.KB)/1024)
		}
	}
}

// soak runs a command to its end and notes its memory five times a second.
func soak(ctx context.Context, args []string) (*soaked, error) {
	s := &soaked{}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			s.Wall = time.Since(begun)
			s.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return s, err
		case <-ticker.C:
			if kb := residentKB(cmd.Process.Pid); kb > 0 {
				s.Memory = append(s.Memory, resident{time.Since(begun), kb})
			}
		}
	}
}

// around gives the median memory in MB of the tenth of the run around a part of it.
func (s *soaked) around(part float64) float64 {
	var values []int64
	for _, m := range s.Memory {
		if at := float64(m.At) / float64(s.Wall); at > part-0.05 && at < part+0.05 {
			values = append(values, m.KB)
		}
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return float64(values[len(values)/2]) / 1024
}
