package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// growthLimit is what a request may cost when there is more of something, over what it costs else. It leaves room for a busy
// machine. A thousand labels cost more: each that occurs in a second is summed, written and judged once, and counters of so
// many fall out of the processor's cache between two samples.
const growthLimit = 1.25

// growthMain shows that a request costs the same in a longer run, under more labels and with more rows of data: variants of the
// product's own work in interleaved rounds, against the first one.
func growthMain(ctx context.Context, o options) error {
	rig, err := newServedRig(ctx, o)
	if err != nil {
		return err
	}
	defer rig.close()
	variants, err := growthVariants(rig.stacrun, rig.dir)
	if err != nil {
		return err
	}
	w := workload{Name: "growth", About: "GET of 1 kB with a templated query and label", Path: "/1k", Divide: 1}
	results, err := compare(ctx, o, w, o.users[0], rig.targets[0], variants, rig.dir)
	if err != nil {
		return errors.Join(err, writeJSON(o.json, results))
	}
	printTable(os.Stdout, w, o.users[0], rig.targets[0].name, variants, results)
	held := true
	for _, v := range variants[1:] {
		x := spreadOf(ratios(results, v.name, variants[0].name))
		word := "held"
		if x.median > growthLimit || x.median == 0 {
			word, held = "MISSED", false
		}
		fmt.Printf("%s / %s  %s, at most %.2f: %s\n", v.name, variants[0].name, x, growthLimit, word)
	}
	if err := writeJSON(o.json, results); err != nil {
		return err
	}
	if o.check && !held {
		return errors.New("the cost of a request grows")
	}
	return nil
}

// growthVariants gives the work to compare, the plain one first, and writes the data that it reads.
func growthVariants(stacrun, dir string) ([]tool, error) {
	rows := map[string]int{"10 rows": 10, "1M rows": 1_000_000}
	for name, n := range rows {
		var b strings.Builder
		b.WriteString("n,name\n")
		for i := range n {
			fmt.Fprintf(&b, "%d,item-%d\n", i+1, i+1)
		}
		if err := os.WriteFile(filepath.Join(dir, rowsFile(name)), []byte(b.String()), 0o644); err != nil {
			return nil, err
		}
	}
	variant := func(name string, times, labels int) tool {
		return tool{name: name, exact: true, times: times, args: func(j job) ([]string, error) {
			file := filepath.Join(j.dir, "growth.yml")
			text := growthScenario(j, labels, "")
			if rows[name] > 0 {
				text = growthScenario(j, labels, rowsFile(name))
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return nil, err
			}
			return []string{stacrun, "run", file, "--quiet", "--artifacts", filepath.Join(j.dir, "artifacts"), "--overwrite"}, nil
		}}
	}
	return []tool{
		variant("1 label", 1, 1), variant("5 x longer", 5, 1), variant("1k labels", 1, 1000), variant("10k labels", 1, 10_000),
		variant("10 rows", 1, 1), variant("1M rows", 1, 1),
	}, nil
}

func rowsFile(variant string) string { return strings.ReplaceAll(variant, " ", "-") + ".csv" }

// growthScenario draws as much for each request in all variants, so that only what is counted or read differs.
func growthScenario(j job, labels int, rows string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "execution:\n- concurrency: %d\n  iterations: %d\n  scenario: bench\n", j.users, (j.requests+j.users-1)/j.users)
	fmt.Fprintf(&b, "scenarios:\n  bench:\n    default-address: %s\n", strings.TrimSuffix(j.url, j.work.Path))
	query := "${__Random(1,100000)}"
	if rows != "" {
		fmt.Fprintf(&b, "    data-sources: [%s]\n", strconv.Quote(filepath.Join(j.dir, rows)))
		query = "${n}"
	}
	fmt.Fprintf(&b, "    requests:\n    - label: get ${__Random(1,%d)}\n      url: %s?n=%s\n", labels, j.work.Path, query)
	b.WriteString("settings:\n  preflight: false\n")
	return b.String()
}
