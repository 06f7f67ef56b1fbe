package reporters

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
)

func TestNoReportReplacesAnother(t *testing.T) {
	for _, tt := range []struct {
		name    string
		modules []config.Module
		want    []string // filename of each module, as it goes on
		wrong   string
	}{
		{"names of their own", []config.Module{module("junit-xml", "filename=a.xml"), module("junit-xml", "filename=b.xml")}, []string{"a.xml", "b.xml"}, ""},
		{"one default", []config.Module{module("html"), module("junit-xml")}, []string{"", ""}, ""},
		{"two by default, as Taurus names them", []config.Module{module("junit-xml"), module("junit-xml", "data-source=pass-fail"), module("junit-xml", "data-source=sample-labels")},
			[]string{"", folder + "/xunit-1.xml", folder + "/xunit-2.xml"}, ""},
		{"the same twice", []config.Module{module("html", "filename=a.html"), module("html", "filename=a.html")}, []string{"a.html", "a.html"}, ""},
		{"one file, two kinds", []config.Module{module("html", "filename=a"), module("markdown", "filename=./a")}, []string{"a", "./a"}, "markdown writes the same file as html"},
		{"the other's default", []config.Module{module("markdown"), module("html", "filename="+folder+"/report.md")}, []string{"", folder + "/report.md"}, "html writes the same file as markdown"},
		{"two dumps", []config.Module{module("final-stats", "dump-csv=a.csv"), module("csv", "filename=a.csv")}, []string{"", "a.csv"}, "csv writes the same file as final-stats"},
		{"the log of the run", []config.Module{module("html", "filename="+folder+"/intervals.log")}, []string{folder + "/intervals.log"}, "intervals.log of the run itself is written there"},
		{"its summary", []config.Module{module("csv", "timeline="+folder+"/summary.json")}, []string{""}, "summary.json of the run itself is written there"},
		{"its summary by its own reporter", []config.Module{module("json"), module("json", "filename="+folder+"/summary.json")}, []string{"", folder + "/summary.json"},
			"json writes the same file as json"},
		{"no files", []config.Module{module("jsonlines", "filename=-"), module("jsonlines", "url=http://h/"), module("jsonlines", "url=http://i/"), module("csv", "timeline=false"), module("csv", "filename=x", "timeline=false")},
			[]string{"-", "", "", "", "x"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := outputs{}
			var got []string
			wrong := ""
			for _, m := range tt.modules {
				m, diags := files.claim(m)
				name := ""
				if node := m.Options.Get("filename"); node != nil {
					name = node.Text
				}
				got = append(got, name)
				for _, d := range diags {
					wrong += d.Message
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || wrong != tt.wrong {
				t.Errorf("%s\nwrong: %q, want %q", diff, wrong, tt.wrong)
			}
		})
	}
}
