package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/stacrun/stacrun/reporters/console"
	"github.com/stacrun/stacrun/session"
)

// version is set by the linker for releases.
var version = "dev"

func main() {
	log.SetOutput(standardLog{os.Stderr})
	os.Exit(run(os.Args[1:], &process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}

// process is what the command has of the operating system.
type process struct {
	stdin          *os.File
	stdout, stderr *os.File
}

// cli is the command line.
type cli struct {
	Options       []string `short:"o" name:"option" sep:"none" placeholder:"PATH=VALUE" help:"Set a value of the document, such as -o execution.hold-for=30s. Repeatable; the order counts." group:"every"`
	Quiet         bool     `short:"q" help:"Only warnings, errors and the verdict." group:"every"`
	Verbose       bool     `short:"v" help:"Show the log on stderr." group:"every"`
	NoColor       bool     `name:"no-color" help:"No colours, as with NO_COLOR=1." group:"every"`
	Artifacts     string   `placeholder:"DIR" help:"Folder for the results of this run, instead of a dated one." group:"every"`
	Overwrite     bool     `help:"Replace the run that the artifacts folder holds." group:"every"`
	NoExec        bool     `name:"no-exec" help:"Refuse to run shell commands of the file (service shellexec)." group:"every"`
	SystemConfigs bool     `name:"system-configs" help:"Read /etc/stacrun.d/* and ~/.stacrun.yml before the files. Nothing is read from there without this." group:"every"`
	Against       string   `name:"baseline" placeholder:"FILE|NAME" help:"Run, folder of runs, summary.json or saved baseline that criteria may compare with." group:"every"`
	Seed          *uint64  `placeholder:"N" help:"Seed of everything random; the same seed sends the same requests." group:"every"`

	Run      runCmd      `cmd:"" default:"withargs" help:"Run scenario files (the default verb)."`
	Validate validateCmd `cmd:"" help:"Check files and say everything that is wrong with them."`
	Show     showCmd     `cmd:"" help:"Print the document that the files merge to."`
	Plan     planCmd     `cmd:"" help:"Print what a run would do. Nothing is sent."`
	Debug    debugCmd    `cmd:"" help:"One user, one iteration, every request and response in full."`
	Serve    serveCmd    `cmd:"" help:"Serve the embedded STAC API."`
	Ingest   ingestCmd   `cmd:"" help:"Create a collection and its items on a STAC API."`
	Report   reportCmd   `cmd:"" help:"Print an earlier run from its artifacts folder."`
	Agent    agentCmd    `cmd:"" help:"Carry out a share of a run that another machine controls."`
	UI       uiCmd       `cmd:"" name:"ui" help:"Start runs of a file from a page in the browser, and watch them."`
	studyVerbs
	Functions  functionsCmd              `cmd:"" help:"List the functions of templates."`
	Keys       keysCmd                   `cmd:"" help:"Explain a key of scenario files."`
	Fmt        fmtCmd                    `cmd:"" help:"Lay scenario files out anew, comments kept."`
	New        newCmd                    `cmd:"" help:"Write a scenario file to begin with."`
	Schema     schemaCmd                 `cmd:"" help:"Print the JSON Schema of scenario files."`
	Completion kongcompletion.Completion `cmd:"" help:"Print how to switch on completion in your shell."`
	Version    versionCmd                `cmd:"" help:"Print the version."`
}

// app is what every verb gets.
type app struct {
	*process
	*cli
	ctx     context.Context
	aside   *console.Lossy // what is said on stderr; nobody waits for it from when a run begins
	inputs  *inputs        // reads scenario files
	aliases []string       // -name arguments, as Taurus has them
	verbs   []string
	desk    *console.Desk // where the live view is shown; nil: nobody sits at a terminal
	ctrlC   chan struct{} // the key, where the live view reads keys; nil: it is a signal
	unhand  func()        // ends what [app.endOnSignal] began
	code    int           // exit code that the verb wants
}

func newApp(ctx context.Context, p *process, flags *cli) *app {
	aside := console.NewLossy(p.stderr)
	aside.Patient(true) // until a run begins
	return &app{process: p, cli: flags, ctx: ctx, aside: aside, inputs: newInputs(p.stdin), unhand: func() {}}
}

const description = `Runs load tests that are written down in YAML files, and judges them.

Examples:
  stacrun scenarios/embedded.yml                    run a file
  stacrun base.yml load.yml -o execution.concurrency=50
  stacrun validate *.yml                            what is wrong with them?
  stacrun plan opensearch.yml                       what would be done?
  stacrun http://127.0.0.1:8090/                    a short, gentle look at a URL

Exit codes: 0 passed, 1 error, 2 interrupted, 3 failed by a criterion.`

// run is the whole command: it returns the exit code.
func run(args []string, p *process) int {
	var flags cli
	exited := -1
	parser, err := kong.New(&flags,
		kong.Name("stacrun"), kong.Description(description),
		kong.Writers(p.stdout, p.stderr), kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{{Key: "every", Title: "Flags of every verb:"}}),
		kong.UsageOnError(),
	)
	if err != nil {
		fmt.Fprintln(p.stderr, "stacrun:", err) // a mistake in the struct above
		return session.ExitError
	}
	kongcompletion.Register(parser)

	args, aliases := splitAliases(usualArguments(args))
	if len(args) == 0 && len(aliases) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited >= 0: // --help and the like
		return exited
	case err != nil:
		message, hint := usageProblem(err)
		fmt.Fprintf(p.stderr, "stacrun: %s\n  hint: %s\n", message, hint)
		return session.ExitError
	}
	a := newApp(context.Background(), p, &flags)
	a.aliases = aliases
	for _, node := range parser.Model.Children {
		a.verbs = append(a.verbs, node.Name)
	}
	a.unhand = a.endOnSignal()
	defer a.unhand()
	defer func() { _ = a.aside.Flush() }() // where it cannot be said, that cannot be said either
	if err := parsed.Run(a); err != nil {
		if !errors.Is(err, errReported) {
			fmt.Fprintf(a.aside, "stacrun: %v\n", err)
		}
		return max(a.code, session.ExitError)
	}
	return a.code
}

// errReported is returned by a verb that has told the user already what was wrong.
var errReported = errors.New("reported")

// splitAliases takes Taurus' aliases out of the arguments: a single dash and a word of two letters
// or more, such as -sequential. -oNAME=VALUE stays an option. Nothing after "--" is looked at.
func splitAliases(args []string) (rest, aliases []string) {
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(rest, args[i:]...), aliases
		case len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && isWord(arg[1:]) && !strings.HasPrefix(arg, "-o"):
			aliases = append(aliases, arg[1:])
		default:
			rest = append(rest, arg)
		}
	}
	return rest, aliases
}

func isWord(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}) < 0 && (s[0] < '0' || s[0] > '9')
}

// print writes to stdout, after what was said before, and keeps the first error: a closed pipe must not pass for a success.
func (a *app) print(write func(io.Writer) error) error {
	_ = a.aside.Flush() // what was lost of it is no reason to keep the result back
	if err := write(a.stdout); err != nil {
		return fmt.Errorf("write to stdout: %w", err)
	}
	return nil
}
