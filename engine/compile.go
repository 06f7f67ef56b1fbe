package engine

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"maps"
	"net/netip"
	"os"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/internal/input"
	"github.com/stacrun/stacrun/metrics"
)

// Compile makes the plan of a file. The plan is nil when the list holds errors.
func Compile(file *config.File, opts Options) (*Plan, diag.List) {
	if opts.Getenv == nil {
		opts.Getenv = os.LookupEnv
	}
	if opts.ReadFile == nil {
		opts.ReadFile = func(name string) ([]byte, error) { return input.File(name, input.MaxContent) }
	}
	if opts.Version == "" {
		opts.Version = "dev"
	}
	c := &compiler{
		file: file, opts: opts,
		plan:   &Plan{capacity: file.Settings.Capacity, preflight: file.Settings.Preflight, maxLabels: file.Settings.MaxLabels, ignore: file.Settings.IgnoreLabels, userAgent: "stacrun/" + opts.Version},
		files:  map[string][]byte{},
		labels: map[Label]int{},
		warned: map[diag.Pos]bool{},
		tls:    map[tlsKey]*tls.Config{},
	}
	c.plan.proxy = c.proxies()
	c.plan.dns = newNameService(&file.Settings.DNS)
	if file.Settings.Sequential {
		c.plan.capacity = 1
	}
	switch {
	case opts.Seed != nil:
		c.plan.seed = *opts.Seed
	case file.Settings.Seed.Set:
		c.plan.seed = file.Settings.Seed.V
	default:
		c.plan.seed = drawSeed()
	}
	for i := range file.Executions {
		if x := c.execution(i, &file.Executions[i]); x != nil {
			c.plan.executions = append(c.plan.executions, x)
		}
	}
	c.list.Sort()
	if c.list.HasErrors() {
		c.closeSources()
		return nil, c.list
	}
	return c.plan, c.list
}

// drawSeed draws a seed that people can copy: 48 bits survive JSON readers that know only doubles.
func drawSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (documented)
	return binary.LittleEndian.Uint64(b[:]) >> 16
}

// compiler carries what is being made. The fields below x belong to the execution that is compiled.
type compiler struct {
	file   *config.File
	opts   Options
	plan   *Plan
	list   diag.List
	files  map[string][]byte // bodies that were read, by name
	labels map[Label]int     // numbers of the plan's labels
	warned map[diag.Pos]bool
	tls    map[tlsKey]*tls.Config

	x         *execution
	names     *template.Names
	lists     map[string]bool   // names that may hold a list when the plan runs
	columns   map[string]string // names that only rows give a value, and when they do
	assigned  map[string]bool   // names that get one in another way
	templates *template.Compiler
	loops     int        // loops around the step that is compiled
	once      []*request // outside loops, whose answers a cache may hold
	sources   []netip.Addr
	rules     map[*config.Authorization]*authRule // nil: it holds a mistake
	hiding    int                                 // transactions around what is compiled that report only their sum
	later     []func()                            // what has to wait until all texts are compiled
}

func (c *compiler) execution(index int, in *config.Execution) *execution {
	scenario := c.scenario(in.Scenario, in.Pos, in.Path)
	if scenario == nil {
		return nil
	}
	x := &execution{
		index: index, name: in.Name, scenario: in.Scenario, executor: in.Executor,
		delay: in.Delay, startAt: in.StartAt,
		names:         template.NewNames(),
		thinkAfter:    in.Executor == "apiritif" || in.Executor == "locust",
		finishStarted: in.Executor == "apiritif",
	}
	c.lists, c.columns, c.assigned = map[string]bool{}, map[string]string{}, map[string]bool{}
	c.x, c.names, c.later, c.once, c.rules = x, x.names, nil, nil, map[*config.Authorization]*authRule{}
	c.templates = &template.Compiler{
		Names: x.names, Functions: c.opts.Functions, Getenv: c.opts.Getenv,
		Properties: properties(c.file.Settings.Properties, scenario.Properties),
		Sources:    c.file.Sources,
	}

	d := &declarer{c: c}
	d.scenario(scenario)
	d.steps(in.Prepare)
	d.steps(in.Finish)

	c.loadOf(in)
	if !x.load.part.Whole() {
		for _, source := range x.sources {
			source.SetPart(x.load.part)
		}
	}
	sc := c.scope(scenario)
	c.templates.Absent = c.columns // variables and prepare have their values before there are users
	c.variables(scenario)
	x.prepare = c.steps(in.Prepare, sc)
	c.templates.Absent = nil
	x.sample = c.label(config.Text{Value: scenario.Name, Pos: scenario.Pos, Path: scenario.Path}, metrics.IterationKind)
	x.setup = c.steps(scenario.Setup, sc)
	x.script = c.steps(scenario.Requests, sc)
	for i := range scenario.Tasks {
		t := &scenario.Tasks[i]
		x.weights += t.Weight
		x.tasks = append(x.tasks, task{upTo: x.weights, steps: c.steps(t.Requests, sc)})
	}
	x.teardown = c.steps(scenario.Teardown, sc)
	x.finish = c.steps(in.Finish, sc)
	if len(x.script) == 0 && len(x.tasks) == 0 {
		c.list.Errorf("no-requests", scenario.Pos, scenario.Path, "scenario %q has no requests", scenario.Name).
			WithHint("write requests: [url, …] below it")
	}
	c.cookies(scenario)
	c.findRepeats()
	for _, f := range c.later {
		f()
	}
	return x
}

// scenario gives the scenario of that name; nil, and told, when there is none.
func (c *compiler) scenario(name string, pos diag.Pos, path string) *config.Scenario {
	if s := c.file.Scenario(name); s != nil {
		return s
	}
	names := make([]string, len(c.file.Scenarios))
	for i, s := range c.file.Scenarios {
		names[i] = s.Name
	}
	c.list.Errorf("unknown-scenario", pos, path, "scenario %q is not defined", name).WithHint("%s", diag.DidYouMean(name, names))
	return nil
}

// properties lays those of a scenario over those of the settings.
func properties(base, over map[string]string) map[string]string {
	all := make(map[string]string, len(base)+len(over))
	maps.Copy(all, base)
	maps.Copy(all, over)
	return all
}

// label enters a name under which samples are counted.
func (c *compiler) label(t config.Text, kind metrics.Kind) labelRef {
	var text string
	ref := labelRef{kind: kind}
	if kind == metrics.IterationKind || t.Literal {
		text = t.Value
	} else {
		compiled := c.text(t)
		constant, ok := compiled.Constant()
		if text = constant; !ok {
			ref.dynamic, text = compiled, t.Value
		}
	}
	ref.text = text
	for _, prefix := range c.plan.ignore {
		if ref.dynamic == nil && kind != metrics.IterationKind && len(text) >= len(prefix) && text[:len(prefix)] == prefix {
			ref.ignored = true
			return ref
		}
	}
	label := Label{Execution: c.x.name, Name: text, Kind: kind, Pattern: ref.dynamic != nil}
	index, known := c.labels[label]
	if ref.index = index; !known {
		ref.index = len(c.plan.labels)
		c.labels[label] = ref.index
		c.plan.labels, c.plan.hidden = append(c.plan.labels, label), append(c.plan.hidden, true)
	}
	c.plan.hidden[ref.index] = c.plan.hidden[ref.index] && c.hiding > 0
	return ref
}

// steps compiles a list of steps.
func (c *compiler) steps(list []config.Step, sc *scope) []step {
	compiled := make([]step, 0, len(list))
	for _, s := range list {
		if one := c.step(s, sc); one != nil {
			compiled = append(compiled, one)
		}
	}
	return compiled
}

func (c *compiler) step(s config.Step, sc *scope) step {
	switch s := s.(type) {
	case *config.Request:
		return c.request(s, sc)
	case *config.If:
		return c.ifStep(s, sc)
	case *config.Loop, *config.While, *config.ForEach, *config.Retry:
		c.loops++
		defer func() { c.loops-- }()
	}
	switch s := s.(type) {
	case *config.Loop:
		return c.loopStep(s, sc)
	case *config.While:
		return c.whileStep(s, sc)
	case *config.ForEach:
		return c.forEachStep(s, sc)
	case *config.Once:
		return c.onceStep(s, sc)
	case *config.Transaction:
		return c.transactionStep(s, sc)
	case *config.Parallel:
		return c.parallelStep(s, sc)
	case *config.Retry:
		return c.retryStep(s, sc)
	case *config.Include:
		return c.includeStep(s, sc)
	case *config.Action:
		return c.actionStep(s)
	case *config.SetVariables:
		return c.setVariablesStep(s)
	}
	pos, path := s.Where()
	c.list.Errorf("unknown-step", pos, path, "this step cannot be run").WithHint("write a url, or a block such as if, loop, transaction or action")
	return nil
}
