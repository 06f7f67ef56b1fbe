package reporters

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/report"
)

// output is an option that names a file, and its default in the artifacts folder; "": without the option there is no file.
type output struct{ key, fallback string }

// outputsOf lists the files that a reporter writes as a whole.
func outputsOf(module config.Module) []output {
	switch module.Name {
	case "junit-xml":
		return []output{{"filename", "xunit.xml"}}
	case "html", "report-html":
		return []output{{"filename", "report.html"}}
	case "markdown":
		return []output{{"filename", "report.md"}}
	case summary:
		return []output{{"filename", "summary.json"}}
	case "jtl":
		return []output{{"filename", "kpi.jtl"}}
	case "csv":
		return []output{{"filename", "totals.csv"}, {"timeline", "timeline.csv"}}
	case "jsonlines":
		return []output{{"filename", "metrics.jsonl"}}
	case "final-stats", "final_stats":
		return []output{{"dump-csv", ""}, {"dump-xml", ""}}
	}
	return nil
}

// folder stands for the artifacts folder, which is not known yet.
const folder = "${TAURUS_ARTIFACTS_DIR}"

// outputs knows who writes which file of a run, so that no report is lost to another one.
type outputs map[string]config.Module

// ours are the files of the run itself.
func ours() []string {
	return []string{"intervals.log", "effective.yml", "merged.yml", "stacrun.log", "summary.json"}
}

// claim notes the files of a reporter. One that has the default name of an earlier one, which says something else, gets a name of its
// own, as Taurus does it: xunit-1.xml. The same reporter twice, as merged files have it, writes the same twice.
func (o outputs) claim(module config.Module) (config.Module, diag.List) {
	var diags diag.List
	for _, out := range outputsOf(module) {
		node := module.Options.Get(out.key)
		given, pos := "", module.Pos
		if node != nil && node.Kind == config.Scalar {
			if _, isSwitch := node.Bool(); isSwitch && !node.Quoted {
				if out.key == "timeline" && node.Text != "true" {
					continue
				}
			} else {
				given, pos = node.Text, node.Pos
			}
		}
		if given == "-" || given == "" && (out.fallback == "" || module.Options.Get("url") != nil) {
			continue
		}
		path := filepath.Clean(report.OutputPath(given, folder, out.fallback))
		for _, name := range ours() {
			if path == filepath.Join(folder, name) && (name != "summary.json" || module.Name != summary) {
				diags.Errorf("output", pos, module.Path+"."+out.key, "%s of the run itself is written there", name).WithHint("write another file name")
			}
		}
		before, taken := o[path]
		switch {
		case !taken:
			o[path] = module
		case same(before, module):
		case given == "":
			path = o.free(path)
			module.Options = module.Options.Clone()
			module.Options.Set(out.key, module.Pos, &config.Node{Kind: config.Scalar, Text: path, Quoted: true, Pos: module.Pos})
			o[path] = module
		default:
			diags.Errorf("output", pos, module.Path+"."+out.key, "%s writes the same file as %s", module.Name, before.Name).
				WithNote(before.Pos, "the other one is here").WithHint("write another file name: the later report would replace the earlier one")
		}
	}
	return module, diags
}

func (o outputs) free(path string) string {
	ending := filepath.Ext(path)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), n, ending)
		if _, taken := o[name]; !taken {
			return name
		}
	}
}

func same(a, b config.Module) bool {
	var texts [2]strings.Builder
	for i, module := range []config.Module{a, b} {
		if config.Format(&texts[i], module.Options, config.FormatOptions{}) != nil {
			return false
		}
	}
	return a.Name == b.Name && texts[0].String() == texts[1].String()
}
