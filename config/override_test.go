package config

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// overridden applies -o arguments to a document as Load does.
func overridden(t *testing.T, text string, args ...string) (*loader, string) {
	t.Helper()
	l := newLoader(context.Background(), Options{Overrides: args})
	if text != "" {
		mergeInto(l.doc, parseOne(t, "f.yml", text), &l.diags)
	}
	l.executionList()
	l.overrides()
	l.executionList()
	return l, show(l.doc)
}

func TestOverrides(t *testing.T) {
	tests := []struct {
		name, text string
		args       []string
		want       string
		says       []string
	}{
		{name: "scalar", text: "a: 1", args: []string{"a=2"}, want: "{a: 2}"},
		{name: "values are YAML", text: "", args: []string{"a=11", "b=3.14", "c=true", "d=null", "e=", "f=[1, 2]", "g={a: b}", `h="x"`, `i="true"`, "j=1e3", "k=# no", "l=no"},
			want: `{a: 11, b: 3.14, c: true, d: null, e: null, f: [1, 2], g: {a: "b"}, h: "x", i: "true", j: 1e3, k: null, l: "no"}`},
		{name: "what is no YAML is text", args: []string{"a=@x", "b=x: y: z", "c=[1", "d=*x", "e=--- a\n--- b", "f=!foo x"},
			want: `{a: "@x", b: "x: y: z", c: "[1", d: "*x", e: "--- a\n--- b", f: "!foo x"}`},
		{name: "split at the first equals sign", args: []string{"scenarios.s.requests.-1=http://x/?a=b"}, want: `{scenarios: {s: {requests: ["http://x/?a=b"]}}}`},
		{name: "missing mappings and lists are made", args: []string{"a.b.c=1", "x.1.y=2", "z.0.0=3"}, want: "{a: {b: {c: 1}}, x: [{}, {y: 2}], z: [[3]]}"},
		{name: "index", text: "a: [1, {b: 2}]", args: []string{"a.0=x", "a.1.b=3", "a.3=y"}, want: `{a: ["x", {b: 3}, {}, "y"]}`},
		{name: "a negative index appends", text: "execution: [{concurrency: 1}]", args: []string{"execution.-1.concurrency=5", "execution.-7.concurrency=6"},
			want: "{execution: [{concurrency: 1}, {concurrency: 5}, {concurrency: 6}]}"},
		{name: "replaces, never merges", text: "a: {x: 1}\nb: [1]", args: []string{"a={y: 2}", "b=[2]"}, want: "{a: {y: 2}, b: [2]}"},
		{name: "no directives inside", text: "a: {x: 1}", args: []string{"a={~y: 2}", "b.~c=1"}, want: "{a: {~y: 2}, b: {~c: 1}}"},
		{name: "^ deletes", text: "a: {x: 1, y: 2}\nb: [1, 2, 3]", args: []string{"a.^x=", "b.^0=", "b.^-1=", "b.^9=", "a.^zz=1"}, want: "{a: {y: 2}, b: [2]}"},
		{name: "^ at the top", text: "a: 1\nb: 2", args: []string{"^a="}, want: "{b: 2}"},
		{name: "* sets everywhere below", text: "a: {loop: true, b: [{loop: 1}, loop, {c: {loop: {x: 1}}}]}\nloop: 5", args: []string{"a.*loop=false"},
			want: "{a: {loop: false, b: [{loop: false}, false, {c: {loop: false}}]}, loop: 5}"},
		{name: "* keeps the value as text", text: "a: {b: 1}", args: []string{"*b=[1, 2]"}, want: `{a: {b: "[1, 2]"}}`},
		{name: "execution.key is the only execution", text: "execution: [{hold-for: 1m}]", args: []string{"execution.hold-for=5s", "execution.^hold-for=", "execution.steps=2"},
			want: "{execution: [{steps: 2}]}"},
		{name: "execution as a mapping takes both forms", text: "execution: {hold-for: 1m}", args: []string{"execution.0.hold-for=5s", "execution.steps=2"},
			want: `{execution: [{hold-for: "5s", steps: 2}]}`},
		{name: "execution that is not there yet", args: []string{"execution.concurrency=5", "execution.scenario=s"}, want: `{execution: [{concurrency: 5, scenario: "s"}]}`},
		{name: "execution as a whole", text: "execution: [{a: 1}]", args: []string{"execution={b: 2}"}, want: "{execution: [{b: 2}]}"},
		{name: "execution: * stays below the list", text: "execution: [{a: 1}, {a: 2}]", args: []string{"execution.*a=3"}, want: "{execution: [{a: 3}, {a: 3}]}"},
		{name: "execution: ^ of an index", text: "execution: [{a: 1}]", args: []string{"execution.^0="}, want: "{execution: []}"},
		{name: "dots make levels", args: []string{"modules.jmeter.properties.log_level.jmeter=DEBUG"}, want: `{modules: {jmeter: {properties: {log_level: {jmeter: "DEBUG"}}}}}`},
		{name: "dots in quotes do not", args: []string{`a."b.c".d=1`, `a.'x=y'=2`, `a.p\.q=3`, `a."say \"hi\""=4`, `a."0"=5`, `a."^k"=6`, `a.back\\=7`},
			want: `{a: {b.c: {d: 1}, x=y: 2, p.q: 3, say "hi": 4, 0: 5, ^k: 6, back\: 7}}`},
		{name: "digits are a key where there is a mapping", text: "m: {200: a}", args: []string{"m.200=b"}, want: `{m: {200: "b"}}`},
		{name: "short forms become long ones", text: "reporting: [final-stats]\nscenarios: {s: {requests: [http://x/]}}\nmodules: {m: c}",
			args: []string{"reporting.0.dump-csv=x.csv", "scenarios.s.requests.0.label=l", "modules.m.k=v"},
			want: `{reporting: [{module: "final-stats", dump-csv: "x.csv"}], scenarios: {s: {requests: [{url: "http://x/", label: "l"}]}}, modules: {m: {class: "c", k: "v"}}}`},
		{name: "an empty block", text: "settings:", args: []string{"settings.seed=1"}, want: "{settings: {seed: 1}}"},
		{name: "in order", args: []string{"a=1", "a=2", "a=3"}, want: "{a: 3}"},

		{name: "no equals sign", args: []string{"a=1", "concurrency"}, want: "{a: 1}", says: []string{`2:1 bad-override: "concurrency" has no equals sign`}},
		{name: "empty parts", args: []string{"=1", "a..b=1", "a.=1"}, want: "{}", says: []string{
			"1:1 bad-override: a part of the path is empty", "2:3 bad-override: a part of the path is empty", "3:3 bad-override: a part of the path is empty"}},
		{name: "open quote", args: []string{`a."b=1`}, want: "{}", says: []string{"1:3 bad-override: the quote that opens here is never closed"}},
		{name: "text behind a quote", args: []string{`a."b"c=1`}, want: "{}", says: []string{"1:6 bad-override: a dot or an equals sign is expected after the quote"}},
		{name: "a key on a list", text: "execution: [{}, {}, {}]", args: []string{"execution.hold-for=5m"}, want: "{execution: [{}, {}, {}]}",
			says: []string{`1:11 bad-override: "execution" is a list of 3, so its items have no key "hold-for"`}},
		{name: "below a text", text: "a: hello", args: []string{"a.b=1", "a.0=1", "a.^b="}, want: `{a: "hello"}`, says: []string{
			`1:3 bad-override: "a" is the text "hello" and has nothing inside`, `2:3 bad-override: "a" is the text "hello" and has nothing inside`,
			`3:3 bad-override: "a" is the text "hello" and has nothing inside`}},
		{name: "deleting a key of a list", text: "a: [1]", args: []string{"a.^b="}, want: "{a: [1]}", says: []string{`1:3 bad-override: "a" is a list, so it has no key "b" to delete`}},
		{name: "an index beyond reason", args: []string{"a.1000000000=1"}, want: "{a: []}", says: []string{"1:3 bad-override: index 1000000000 is beyond the limit of 10000"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, got := overridden(t, test.text, test.args...)
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if diff := cmp.Diff(test.says, lines(l.diags)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOverridePositions(t *testing.T) {
	l, _ := overridden(t, "execution: [{hold-for: 1m}]", "a=1\n", "execution.hold-for=5x", `b.c={d: [x, é, y]}`)
	value := l.doc.At("execution", "0", "hold-for")
	if want := (diag.Pos{File: "-o", Line: 3, Column: 20}); value.Pos != want {
		t.Errorf("value stands at %v, want %v", value.Pos, want)
	}
	if diff := cmp.Diff([]diag.Pos{{File: "f.yml", Line: 1, Column: 24}}, value.Hidden); diff != "" {
		t.Error(diff)
	}
	if e := l.doc.At("execution", "0").Entry("hold-for"); e.KeyPos.Column != 11 {
		t.Errorf("key stands at %v", e.KeyPos)
	}
	if p := l.doc.At("b", "c", "d", "2").Pos; p != (diag.Pos{File: "-o", Line: 4, Column: 16}) {
		t.Errorf("item stands at %v", p)
	}
	var list diag.List
	list.Errorf("x", value.Pos, "", "wrong")
	var b strings.Builder
	_ = diag.Render(&b, list, l.file.Sources)
	want := "-o:3:20: wrong\n    3 | execution.hold-for=5x\n      |                    ^^\n"
	if b.String() != want {
		t.Errorf("rendered\n%s", b.String())
	}
}

func FuzzOverride(f *testing.F) {
	const doc = "execution: {hold-for: 1m}\nscenarios: {s: {requests: [http://x/, {url: u}]}}\nlist: [[1], {a: b}]\nnothing:\n"
	for _, seed := range []string{"a=1", "execution.0.hold-for=5s", "list.-1.-1=x", "list.^0=", "*url=x", `"a.b".'c'=d`, `a\.b=[1`, "scenarios.s.requests.0.label=*x", "nothing.0.0=&a [*a]", "list.0.0.x=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		l, got := overridden(t, doc, arg)
		for _, d := range l.diags {
			if d.Pos.File != "-o" || d.Pos.Line < 1 || d.Pos.Column < 1 || d.Message == "" {
				t.Fatalf("no place: %+v", d)
			}
		}
		if _, again := overridden(t, doc, arg, arg); len(l.diags) == 0 && !strings.ContainsAny(arg, "-^") && again != got {
			t.Errorf("%q twice gives %s, once %s", arg, again, got)
		}
		if firstInvalid([]byte(arg)) < 0 {
			roundTrip(t, l.doc)
		}
	})
}

// TestOverrideOfIncludes warns, since files are included before overrides are applied.
func TestOverrideOfIncludes(t *testing.T) {
	files := shelf{"a.yml": "execution: {scenario: s}\nscenarios: {s: {requests: ['http://h/']}}\n"}
	_, diags := Load(context.Background(), []string{"a.yml"}, Options{FS: files.read, Overrides: []string{"included-configs=b.yml"}})
	if len(diags) != 1 || diags[0].Code != "override-without-effect" || diags[0].Severity != diag.Warning {
		t.Errorf("got %v", diags)
	}
}
