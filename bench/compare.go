package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// result is one run of one tool.
type result struct {
	Case     string `json:"case"`
	Users    int    `json:"users"`
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Round    int    `json:"round"` // from 1
	Requests int64  `json:"requests"`
	usage
	StartUp time.Duration `json:"start_up_ns"` // CPU time of a run with one request per user, taken off what a request costs
	Error   string        `json:"error,omitempty"`
}

// perRequest gives what one more request costs: user and system time in µs, start-up taken off.
func (r result) perRequest() float64 {
	if r.Requests <= int64(r.Users) {
		return 0
	}
	if r.StartUp == 0 {
		return float64(r.User+r.System) / float64(r.Requests) / 1e3
	}
	return float64(r.User+r.System-r.StartUp) / float64(r.Requests-int64(r.Users)) / 1e3
}

// compareMain runs all cases and prints their tables.
func compareMain(ctx context.Context, o options) error {
	rig, err := newServedRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	tools, err := findTools(o, rig.stacrun)
	if err != nil {
		return err
	}
	var all []result
	held := true
	for _, name := range o.cases {
		w, err := caseNamed(name)
		if err != nil {
			return err
		}
		for _, users := range o.users {
			t := rig.targets[0]
			if w.GoOnly {
				t = rig.targets[len(rig.targets)-1]
			}
			results, err := compare(ctx, o, w, users, t, tools, rig.dir)
			all = append(all, results...)
			if err != nil {
				return errors.Join(err, writeJSON(o.json, all))
			}
			held = printTable(os.Stdout, w, users, t.name, tools, results) && held
		}
	}
	if err := writeJSON(o.json, all); err != nil {
		return err
	}
	if o.check && !held {
		return errors.New("a ratio is over its target")
	}
	return nil
}

// compare runs one case in interleaved rounds. Tools that take a time get as much as makes their work about equal.
func compare(ctx context.Context, o options, w workload, users int, t *target, tools []tool, dir string) ([]result, error) {
	j := job{work: w, users: users, requests: max(o.requests/w.Divide, users), url: t.url(w), dir: dir, lasts: time.Second}
	lasts := map[string]time.Duration{}
	var results []result
	for round := 0; round <= o.rounds; round++ { // round 0 warms up and tells how fast the tools are
		for i := range tools {
			tool := tools[(i+round)%len(tools)] // nobody is always first
			if d, ok := lasts[tool.name]; ok {
				j.lasts = d
			} else {
				j.lasts = time.Second
			}
			mine := j
			mine.requests *= max(tool.times, 1)
			r, err := one(ctx, tool, mine, t)
			if tool.exact && err == nil && round > 0 {
				few := j
				few.requests = users
				s, startErr := one(ctx, tool, few, t)
				r.StartUp, err = s.User+s.System, startErr
			}
			if errors.Is(err, errCannot) {
				continue
			}
			if ctx.Err() != nil {
				return results, ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "bench: %s, %s, %d users: %v\n", tool.name, w.Name, users, err)
				r.Error = err.Error()
			}
			if tool.timed && r.Requests > 0 { // its speed differs from round to round on a shared machine
				d := time.Duration(float64(r.Wall) * float64(j.requests) / float64(r.Requests))
				lasts[tool.name] = min(max(d, time.Second), 10*time.Second)
			}
			if round == 0 {
				continue
			}
			r.Case, r.Users, r.Server, r.Tool, r.Round = w.Name, users, t.name, tool.name, round
			results = append(results, r)
		}
	}
	return results, nil
}

// one runs a tool once and asks the server how many requests it saw.
func one(ctx context.Context, tool tool, j job, t *target) (result, error) {
	args, err := tool.args(j)
	if err != nil {
		return result{}, err
	}
	before, err := t.count()
	if err != nil {
		return result{}, err
	}
	u, _, err := measure(ctx, j.dir, args)
	r := result{usage: u}
	time.Sleep(20 * time.Millisecond) // the server may still be counting what a timed tool left unread
	after, countErr := t.count()
	if countErr != nil {
		return r, errors.Join(err, countErr)
	}
	r.Requests = after - before
	if t.countsItself {
		r.Requests--
	}
	_ = os.Remove(filepath.Join(j.dir, "vegeta.out"))
	if err == nil && tool.exact {
		// Users share the work evenly, so the last round of it may be a whole one or none.
		if off := r.Requests - int64(j.requests); off < -int64(j.users) || off > int64(j.users) {
			err = fmt.Errorf("made %d requests instead of %d", r.Requests, j.requests)
		}
	}
	return r, err
}
