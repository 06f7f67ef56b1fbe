package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// usualArguments turns what other commands have as well into verbs of this one: --version, help, help VERB. A file of that
// name goes first.
func usualArguments(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "--version", "-V":
		return append([]string{"version"}, args[1:]...)
	case "help":
		if _, err := os.Stat("help"); err != nil {
			return append(slices.Clone(args[1:]), "--help")
		}
	}
	return args
}

// flagHint says how to write a flag, given without its dashes, that other tools have; "" for none.
func flagHint(verb, flag string) string {
	option, known := map[string]string{
		"users": "execution.concurrency=10", "concurrency": "execution.concurrency=10", "vus": "execution.concurrency=10", "threads": "execution.concurrency=10",
		"duration": "execution.hold-for=1m", "run-time": "execution.hold-for=1m", "hold-for": "execution.hold-for=1m", "time": "execution.hold-for=1m",
		"ramp-up": "execution.ramp-up=30s", "iterations": "execution.iterations=100", "rate": "execution.arrival-rate=50/s", "arrival-rate": "execution.arrival-rate=50/s",
		"throughput": "execution.throughput=100", "rps": "execution.throughput=100", "spawn-rate": "execution.spawn-rate=5", "host": "scenarios.NAME.default-address=http://127.0.0.1:8090",
		"url": "scenarios.NAME.default-address=http://127.0.0.1:8090", "address": "scenarios.NAME.default-address=http://127.0.0.1:8090",
	}[flag]
	switch {
	case known:
		return "values of the file are set with -o " + option
	case (flag == "port" || flag == "bind") && (verb == "serve" || verb == "ui"):
		return "write --listen 127.0.0.1:8091"
	case flag == "port" || flag == "listen" || flag == "bind":
		return "stacrun serve and stacrun ui listen on --listen 127.0.0.1:8091, a run's page on --web and its control on --control"
	case flag == "output" || flag == "out" || flag == "report":
		return "the folder of a run is --artifacts DIR"
	}
	return ""
}

// addressWithoutScheme is what may be an address without http:// before it.
var addressWithoutScheme = regexp.MustCompile(`^(localhost|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+|\d+(\.\d+){3})(:\d+)(/.*)?$|^localhost(/.*)?$`)

// noFileHint says what a file that does not exist was probably meant to be; "" when nothing is near.
func noFileHint(name string, verbs []string) string {
	if addressWithoutScheme.MatchString(name) {
		return "an address begins with its scheme: http://" + name
	}
	if verb := diag.Suggest(name, verbs); verb != "" {
		return fmt.Sprintf("did you mean the verb %q?", verb)
	}
	dir := filepath.Dir(name)
	entries, _ := os.ReadDir(dir) // nothing when it cannot be read
	var near []string
	for _, entry := range entries {
		base := entry.Name()
		if strings.TrimSuffix(base, filepath.Ext(base)) == strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) && !entry.IsDir() {
			return fmt.Sprintf("did you mean %q?", filepath.Join(dir, base))
		}
		if ext := filepath.Ext(base); ext == ".yml" || ext == ".yaml" || ext == ".json" {
			near = append(near, base)
		}
	}
	if other := diag.Suggest(filepath.Base(name), near); other != "" {
		return fmt.Sprintf("did you mean %q?", filepath.Join(dir, other))
	}
	if !strings.ContainsAny(name, "./\\") {
		return "it is no verb either; the verbs are " + strings.Join(verbs, ", ")
	}
	return ""
}

// namedIn is which of the names a message quotes; the first one when it is none.
func namedIn(message string, names []string) string {
	for _, name := range names {
		if strings.Contains(message, strconv.Quote(name)) {
			return name
		}
	}
	return names[0]
}
