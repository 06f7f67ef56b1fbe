package reporters

import (
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/console"
	"github.com/stacrun/stacrun/reporters/csv"
	"github.com/stacrun/stacrun/reporters/final"
	"github.com/stacrun/stacrun/reporters/html"
	"github.com/stacrun/stacrun/reporters/json"
	"github.com/stacrun/stacrun/reporters/jtl"
	"github.com/stacrun/stacrun/reporters/junit"
	"github.com/stacrun/stacrun/reporters/markdown"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options are what reporters need of the process that they report from.
type Options struct {
	Stdout io.Writer // results
	Stderr io.Writer // progress
	Color  bool
	Quiet  bool
	Width  int                         // columns that tables on Stdout may fill; 0: 100
	Getenv func(string) (string, bool) // nil: os.LookupEnv
	Desk   *console.Desk               // where the live view is shown; nil: progress is plain lines
}

// Builder makes a reporter of a module. A nil reporter without errors is a module that reports
// nothing by itself.
type Builder func(module config.Module, file *config.File, opts Options) (report.Reporter, diag.List)

// live is the module that draws on the terminal, and summary the one that writes summary.json.
const live, summary = "console", "json"

// Table lists every reporter by the name of its module.
func Table() map[string]Builder {
	return map[string]Builder{
		live:          buildConsole,
		"csv":         buildCSV,
		"final-stats": buildFinal,
		"final_stats": buildFinal, // Taurus' old name
		"jtl":         buildJTL,
		"html":        buildHTML,
		"junit-xml":   buildJUnit,
		"markdown":    buildMarkdown,
		"influx":      buildInflux,
		"jsonlines":   buildJSONLines,
		"otlp":        buildOTLP,
		"prometheus":  buildPrometheus,
		"passfail":    buildNothing, // its criteria are in the file's
		"statsd":      buildStatsD,
		"webhook":     buildWebhook,
		"report-html": buildHTML,
		summary:       buildJSON,
	}
}

// skipped lists Taurus' reporters that have no native meaning; config warns about them.
func skipped() []string { return []string{"blazemeter", "blazemeter-functional", "influxdb-reporter"} }

// Build makes the reporters of a file, in the order in which they are to be fed and ended: the
// console first, so that its live view is gone before others print, the ones for people to read after those that send,
// so that they can tell what was lost, and the ones that write a summary last, so that they can name what the others left. One for summary.json in the artifacts
// folder is always among them.
func Build(file *config.File, opts Options) ([]report.Reporter, diag.List) {
	var diags diag.List
	var first, list, senders, pages, last []report.Reporter
	table := Table()
	standard := false
	files := outputs{}
	for _, module := range file.Reporting {
		build := table[module.Name]
		if build == nil {
			if !slices.Contains(skipped(), module.Name) {
				diags.Errorf("unknown-reporter", module.Pos, module.Path, "unknown reporter %q", module.Name).
					WithHint("%s", unknownHint(module.Name, table))
			}
			continue
		}
		module, clashes := files.claim(module)
		diags.Add(clashes...)
		reporter, found := build(module, file, opts)
		diags.Add(found...)
		switch {
		case reporter == nil:
		case module.Name == live && file.Settings.Functional: // there is no load to be watched
		case module.Name == live:
			first = append(first, reporter)
		case module.Name == summary:
			standard = standard || optionsOf(module).text("filename") == ""
			last = append(last, reporter)
		case module.Name == "html" || module.Name == "report-html" || module.Name == "markdown":
			pages = append(pages, reporter)
		default:
			if _, sends := reporter.(report.Sender); sends {
				senders = append(senders, reporter)
			} else {
				list = append(list, reporter)
			}
		}
	}
	if !standard {
		last = append(last, json.New(json.Options{}))
	}
	return slices.Concat(first, list, senders, pages, last), diags
}

// Study makes the reporters of a file that tell of a study as a whole; what is wrong with any of the others is told as well, as the
// runs have them.
func Study(file *config.File, opts Options) ([]report.StudyReporter, diag.List) {
	all, found := Build(file, opts)
	var list []report.StudyReporter
	for _, reporter := range all {
		if one, ok := reporter.(report.StudyReporter); ok {
			list = append(list, one)
		}
	}
	return list, found
}

func unknownHint(name string, table map[string]Builder) string {
	names := slices.Sorted(maps.Keys(table))
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	hint := "reporters are"
	for _, n := range names {
		hint += " " + n
	}
	return hint
}

func buildNothing(config.Module, *config.File, Options) (report.Reporter, diag.List) { return nil, nil }

func buildConsole(module config.Module, _ *config.File, opts Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	// "auto", Taurus' default, switches its full screen off without a terminal; ours prints lines then.
	off := o.text("disable") != "auto" && o.flag("disable", false)
	every := o.duration("interval", 5*time.Second)
	if off {
		return nil, o.diags
	}
	return console.New(console.Options{
		Out: opts.Stderr, Color: opts.Color, Quiet: opts.Quiet,
		Every: max(1, int((every+time.Second-1)/time.Second)), Desk: opts.Desk, CI: console.CIOf(opts.getenv()),
	}), o.diags
}

func (o *Options) getenv() func(string) (string, bool) {
	if o.Getenv == nil {
		return os.LookupEnv
	}
	return o.Getenv
}

func buildFinal(module config.Module, file *config.File, opts Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	levels := file.Settings.Percentiles
	percentiles := true
	if node := module.Options.Get("percentiles"); node != nil && node.Kind == config.Sequence {
		levels = o.levels("percentiles")
	} else {
		percentiles = o.flag("percentiles", true)
	}
	out := opts.Stdout
	if opts.Quiet {
		out = io.Discard // the verdict is printed by whoever runs the plan; the dumps are files
	}
	return final.New(final.Options{
		Out: out, Width: width(opts), Color: opts.Color,
		Summary: o.flag("summary", true), Percentiles: percentiles, SummaryLabels: o.flag("summary-labels", true),
		FailedLabels: o.flag("failed-labels", false), TestDuration: o.flag("test-duration", true),
		ReportTests: o.choice("report-tests", final.FailedTests, final.AllTests), Details: o.flag("print-stacktrace", true),
		DumpCSV: o.text("dump-csv"), DumpXML: o.text("dump-xml"), Levels: levels,
	}), o.diags
}

func buildJUnit(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	source := o.choice("data-source", "", junit.SampleLabels, junit.PassFail)
	return junit.New(junit.Options{Filename: o.text("filename"), Source: source}), o.diags
}

func buildCSV(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	timeline := o.text("timeline")
	off := false
	if node := module.Options.Get("timeline"); node != nil {
		if value, ok := node.Bool(); ok {
			off, timeline = !value, ""
		}
	}
	return csv.New(csv.Options{Filename: o.text("filename"), Timeline: timeline, NoTimeline: off}), o.diags
}

func buildJSON(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	return json.New(json.Options{Filename: o.text("filename")}), o.diags
}

func buildJTL(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	return jtl.New(jtl.Options{Filename: o.text("filename")}), o.diags
}

func buildHTML(module config.Module, file *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	document := ""
	if file.Document != nil {
		var b strings.Builder
		if err := config.Format(&b, file.Document, config.FormatOptions{Mask: true}); err == nil {
			document = b.String()
		}
	}
	return html.New(html.Options{Filename: o.text("filename"), Configuration: document}), o.diags
}

func buildMarkdown(module config.Module, _ *config.File, options Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	opts := markdown.Options{Filename: o.text("filename")}
	if o.flag("step-summary", true) {
		opts.StepSummary, _ = options.getenv()("GITHUB_STEP_SUMMARY")
	}
	return markdown.New(opts), o.diags
}

func width(opts Options) int {
	if opts.Width > 0 {
		return opts.Width
	}
	return 100
}
