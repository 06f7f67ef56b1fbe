package reporters

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// module makes a module as config would; values that begin with "[" are lists of scalars.
func module(name string, options ...string) config.Module {
	node := &config.Node{Kind: config.Mapping}
	for i, option := range options {
		key, value, _ := strings.Cut(option, "=")
		pos := diag.Pos{File: "f.yml", Line: i + 2, Column: 9}
		scalar := &config.Node{Kind: config.Scalar, Text: value, Pos: pos}
		if list, ok := strings.CutPrefix(value, "["); ok {
			scalar = &config.Node{Kind: config.Sequence, Pos: pos}
			for _, item := range strings.Split(strings.TrimSuffix(list, "]"), " ") {
				scalar.Items = append(scalar.Items, &config.Node{Kind: config.Scalar, Text: item, Pos: pos})
			}
		}
		node.Entries = append(node.Entries, config.Entry{Key: key, Value: scalar})
	}
	return config.Module{Name: name, Options: node, Pos: diag.Pos{File: "f.yml", Line: 1, Column: 5}, Path: "reporting.0"}
}

func build(modules ...config.Module) ([]string, diag.List) {
	list, diags := Build(&config.File{Reporting: modules}, Options{Stdout: io.Discard, Stderr: io.Discard})
	var types []string
	for _, r := range list {
		types = append(types, strings.TrimPrefix(fmt.Sprintf("%T", r), "*"))
	}
	return types, diags
}

func TestBuild(t *testing.T) {
	for _, tt := range []struct {
		name    string
		modules []config.Module
		want    []string
	}{
		{"nothing listed", nil, []string{"json.JSON"}},
		{"console first, the summary last", []config.Module{module("json"), module("final-stats"), module("console"), module("passfail"), module("jtl")},
			[]string{"console.Console", "final.Final", "jtl.JTL", "json.JSON"}},
		{"a summary elsewhere is one more", []config.Module{module("json", "filename=x.json")}, []string{"json.JSON", "json.JSON"}},
		{"old name", []config.Module{module("final_stats")}, []string{"final.Final", "json.JSON"}},
		{"skipped ones of Taurus", []config.Module{module("blazemeter")}, []string{"json.JSON"}},
		{"console off", []config.Module{module("console", "disable=true")}, []string{"json.JSON"}},
		{"console auto", []config.Module{module("console", "disable=auto", "interval=2s")}, []string{"console.Console", "json.JSON"}},
		{"csv and junit", []config.Module{module("csv", "timeline=false"), module("junit-xml", "data-source=pass-fail")}, []string{"csv.CSV", "junit.JUnit", "json.JSON"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := build(tt.modules...)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		module config.Module
		want   string
	}{
		{module("junit-xlm"), `f.yml:1:5 unknown-reporter: unknown reporter "junit-xlm" | did you mean "junit-xml"?`},
		{module("zzz"), `f.yml:1:5 unknown-reporter: unknown reporter "zzz" | reporters are console csv final-stats`},
		{module("junit-xml", "data-source=pass-fial"), `f.yml:2:9 invalid-option: data-source of junit-xml must be sample-labels or pass-fail, not "pass-fial" | did you mean "pass-fail"?`},
		{module("final-stats", "summary=maybe"), `f.yml:2:9 invalid-option: summary of final-stats must be true or false, not "maybe" | write summary: true or false`},
		{module("final-stats", "percentiles=[50 101]"), `f.yml:2:9 invalid-option: percentiles of final-stats must be a percentile between 0 and 100, not "101"`},
		{module("final-stats", "summary=true", "dump-csv=[a b]"), `f.yml:3:9 invalid-option: dump-csv of final-stats must be a text`},
		{module("console", "interval=5x"), `f.yml:2:9 invalid-duration: invalid duration "5x": unknown unit "x" | write a number`},
	} {
		_, diags := build(tt.module)
		if len(diags) != 1 {
			t.Errorf("%s: %v", tt.want, diags)
			continue
		}
		d := diags[0]
		if got := d.Pos.String() + " " + d.Code + ": " + d.Message + " | " + d.Hint; !strings.HasPrefix(got, tt.want) {
			t.Errorf("\ngot  %s\nwant %s", got, tt.want)
		}
	}
}
