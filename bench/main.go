package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	rounds   int
	requests int
	users    []int
	cases    []string
	tools    []string
	server   string
	stacrun  string
	json     string
	check    bool
	delay    time.Duration
	only     string // truth: cases, separated by commas
	scale    int    // truth and console: per cent of the usual length
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	switch verb {
	case "serve": // a child of ours: the Go server
		return serveMain(ctx, args, os.Stdin)
	case "pace": // a child of ours: requests at a constant rate
		return paceMain(ctx, args)
	case "loop": // a child of ours: the bare net/http loop
		return loopMain(args)
	}
	o, err := parseOptions(verb, args)
	if err != nil {
		return err
	}
	switch verb {
	case "":
		return compareMain(ctx, o)
	case "users":
		return usersMain(ctx, o)
	case "console":
		return consoleMain(ctx, o)
	case "truth":
		return truthMain(ctx, o)
	case "soak":
		return soakMain(ctx, o)
	case "growth":
		return growthMain(ctx, o)
	}
	return fmt.Errorf("unknown verb %q: there are users, console, truth, soak and growth, and none for the comparison", verb)
}

func parseOptions(verb string, args []string) (options, error) {
	o := options{}
	users, cases, requests := "10,100", "plain,rich", 100_000
	switch verb {
	case "users":
		users = "100,10000"
	case "console":
		users = "100"
	case "soak":
		users, cases, requests = "50", "plain", 10_000_000
	case "growth":
		users, requests = "50", 200_000
	}
	f := flag.NewFlagSet("bench "+verb, flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 5, "interleaved rounds")
	f.IntVar(&o.requests, "n", requests, "requests of each tool in each round; cases with long bodies send fewer")
	f.StringVar(&users, "users", users, "numbers of users, separated by commas; console: iterations per second")
	f.StringVar(&cases, "cases", cases, "any of "+strings.Join(caseNames(), ","))
	tools := f.String("tools", "", "only these tools, separated by commas; empty: all that are found")
	f.StringVar(&o.server, "server", "", "nginx or go; empty: nginx if installed")
	f.StringVar(&o.stacrun, "stacrun", "", "the stacrun to measure; empty: build ./cmd/stacrun")
	f.StringVar(&o.json, "json", "", "also write the figures to this file")
	f.BoolVar(&o.check, "check", false, "fail when a ratio is over its target")
	f.StringVar(&o.only, "only", "", "truth: only these of percentiles,stall,load,totals,peers")
	f.IntVar(&o.scale, "scale", 100, "truth, console: per cent of the usual length")
	f.DurationVar(&o.delay, "delay", 200*time.Millisecond, "users: how long the server takes to answer")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected %q", f.Arg(0))
	}
	for _, s := range strings.Split(users, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return o, fmt.Errorf("-users: %q is not a number of users", s)
		}
		o.users = append(o.users, n)
	}
	o.cases = strings.Split(cases, ",")
	if *tools != "" {
		o.tools = strings.Split(*tools, ",")
	}
	if o.rounds < 1 || o.requests < 1 {
		return o, errors.New("-rounds and -n must be at least 1")
	}
	return o, nil
}
