package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// job is what a tool is to do.
type job struct {
	work     workload
	users    int
	requests int
	url      string
	dir      string        // for files of the job
	lasts    time.Duration // for tools that take a time instead of a number
}

// tool is a load generator under measurement.
type tool struct {
	name  string
	timed bool // runs for job.lasts
	exact bool // sends exactly job.requests
	times int  // … so often; 0: once
	// args gives its command line for a job; errCannot when it cannot do such work.
	args func(j job) ([]string, error)
}

var errCannot = errors.New("cannot do such work")

// findTools gives stacrun and every peer found, stacrun first, or those that were asked for.
func findTools(o options, stacrun string) ([]tool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all := []tool{
		{name: "stacrun", exact: true, args: func(j job) ([]string, error) { return stacrunArgs(stacrun, j) }},
		{name: "wrk", timed: true, args: wrkArgs},
		{name: "bombardier", exact: true, args: bombardierArgs},
		{name: "hey", exact: true, args: heyArgs},
		{name: "vegeta", timed: true, args: vegetaArgs},
		{name: "jmeter", exact: true, args: jmeterArgs},
		{name: "net/http", exact: true, args: func(j job) ([]string, error) {
			args := []string{self, "loop", "-c", strconv.Itoa(j.users), "-n", strconv.Itoa(j.requests), "-url", j.url}
			if j.work.Close {
				args = append(args, "-close")
			}
			if j.work.Body == nil {
				return args, nil
			}
			name, err := bodyFile(j)
			return append(args, "-body", name), err
		}},
	}
	var found []tool
	for _, t := range all {
		if len(o.tools) > 0 && !slices.Contains(o.tools, t.name) {
			continue
		}
		if t.name != "stacrun" && t.name != "net/http" {
			if _, err := exec.LookPath(t.name); err != nil {
				fmt.Fprintf(os.Stderr, "bench: %s is not on PATH, left out\n", t.name)
				continue
			}
		}
		found = append(found, t)
	}
	if len(found) == 0 {
		return nil, errors.New("none of the tools was found")
	}
	return found, nil
}

func wrkArgs(j job) ([]string, error) {
	args := []string{"wrk", "-t", strconv.Itoa(min(runtime.NumCPU(), j.users)), "-c", strconv.Itoa(j.users), "-d", seconds(j.lasts) + "s"}
	if j.work.Close {
		args = append(args, "-H", "Connection: close")
	}
	if j.work.Body != nil {
		name, err := bodyFile(j)
		if err != nil {
			return nil, err
		}
		script := filepath.Join(j.dir, "upload.lua")
		text := fmt.Sprintf("wrk.method = \"POST\"\nlocal file = assert(io.open(%q, \"rb\"))\nwrk.body = file:read(\"*a\")\nfile:close()\n", name)
		if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
			return nil, err
		}
		args = append(args, "-s", script)
	}
	return append(args, j.url), nil
}

func bombardierArgs(j job) ([]string, error) {
	args := []string{"bombardier", "-k", "-q", "-p", "r", "-c", strconv.Itoa(j.users), "-n", strconv.Itoa(j.requests)}
	if j.work.Close {
		args = append(args, "-H", "Connection: close")
	}
	if j.work.Body != nil {
		name, err := bodyFile(j)
		if err != nil {
			return nil, err
		}
		args = append(args, "-m", "POST", "-f", name)
	}
	return append(args, j.url), nil
}

func heyArgs(j job) ([]string, error) {
	if j.requests < j.users {
		return nil, errCannot
	}
	args := []string{"hey", "-c", strconv.Itoa(j.users), "-n", strconv.Itoa(j.requests)}
	if j.work.Close {
		args = append(args, "-disable-keepalive")
	}
	if j.work.Body != nil {
		name, err := bodyFile(j)
		if err != nil {
			return nil, err
		}
		args = append(args, "-m", "POST", "-D", name)
	}
	return append(args, j.url), nil
}

func vegetaArgs(j job) ([]string, error) {
	targets := filepath.Join(j.dir, "targets")
	text := "GET " + j.url + "\n"
	if j.work.Body != nil {
		name, err := bodyFile(j)
		if err != nil {
			return nil, err
		}
		text = "POST " + j.url + "\n@" + name + "\n"
	}
	if err := os.WriteFile(targets, []byte(text), 0o644); err != nil {
		return nil, err
	}
	users := strconv.Itoa(j.users)
	args := []string{
		"vegeta", "attack", "-rate=0", "-max-workers=" + users, "-workers=" + users, "-connections=" + users, "-insecure", "-http2=false",
		"-duration=" + seconds(j.lasts) + "s", "-targets=" + targets, "-output=" + filepath.Join(j.dir, "vegeta.out"), "-max-body=0",
	}
	if j.work.Close {
		args = append(args, "-keepalive=false")
	}
	return args, nil
}

// seconds rounds to whole seconds, the unit of tools that take a time.
func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Round(d.Seconds()))))
}

// bodyFile writes the body for tools that read it from a file.
func bodyFile(j job) (string, error) {
	name := filepath.Join(j.dir, "body")
	return name, os.WriteFile(name, j.work.Body(), 0o644)
}
