package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// usersLimitKB is what 10,000 users may take: 160 MB, or 16 kB each.
const usersLimitKB = 16

// usersMain measures the memory of many waiting users. Users start over a few seconds, as they would in a run.
func usersMain(ctx context.Context, o options) error {
	rig, err := newRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	if err := rig.serveGo(o.delay); err != nil {
		return err
	}
	t := rig.targets[0]
	slices.Sort(o.users)
	var all []result
	fmt.Printf("users: GET of 1 kB from a server that answers after %s\n%8s %10s %9s %14s %12s\n", o.delay, "users", "requests", "peak MB", "kB per user", "CPU share")
	held := true
	for i, users := range o.users {
		ramp, hold := time.Duration(users/1000)*time.Second, 6*time.Second
		name := filepath.Join(rig.dir, "users.yml")
		text := fmt.Sprintf("execution:\n- concurrency: %d\n  ramp-up: %s\n  hold-for: %s\n  scenario: bench\nscenarios:\n  bench:\n    default-address: http://%s\n    requests:\n    - label: get\n      url: /1k\nsettings:\n  preflight: false\n", users, ramp, hold, t.plain)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
		before, err := t.count()
		if err != nil {
			return err
		}
		u, _, err := measure(ctx, rig.dir, []string{rig.stacrun, "run", name, "--quiet", "--artifacts", filepath.Join(rig.dir, "artifacts"), "--overwrite"})
		if err != nil {
			return err
		}
		after, err := t.count()
		if err != nil {
			return err
		}
		r := result{Case: "users", Users: users, Server: t.name, Tool: "stacrun", Round: 1, Requests: after - before, usage: u}
		all = append(all, r)
		each := "–"
		if i > 0 {
			base := all[0]
			kb := float64(r.PeakKB-base.PeakKB) / float64(users-base.Users)
			each = fmt.Sprintf("%.1f", kb)
			held = held && kb <= usersLimitKB
		}
		fmt.Printf("%8d %10d %9.1f %14s %11.0f%%\n", users, r.Requests, float64(u.PeakKB)/1024, each, 100*(u.User+u.System).Seconds()/u.Wall.Seconds())
	}
	if err := writeJSON(o.json, all); err != nil {
		return err
	}
	if o.check && !held {
		return fmt.Errorf("more than %d kB per user", usersLimitKB)
	}
	return nil
}
