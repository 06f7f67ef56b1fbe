package config

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// shelf is a set of files in memory.
type shelf map[string]string

func (s shelf) read(name string) ([]byte, error) {
	text, ok := s[filepath.ToSlash(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// loaded runs the mechanics of Load, without schema and decoding.
func (s shelf) loaded(t *testing.T, names []string, opts Options) *loader {
	t.Helper()
	opts.FS = s.read
	if opts.Getenv == nil {
		opts.Getenv = func(string) (string, bool) { return "", false }
	}
	opts.Now = time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC)
	l := newLoader(context.Background(), opts)
	l.assemble(names)
	l.diags.Sort()
	return l
}

// places gives diagnostics as short lines with the file.
func places(list diag.List) []string {
	var all []string
	for _, d := range list {
		line := d.Code + ": " + d.Message
		if d.Pos.Known() {
			line = d.Pos.String() + " " + line
		}
		all = append(all, line)
	}
	return all
}

func TestLoadMergesInOrder(t *testing.T) {
	files := shelf{
		"a.yml":       "x: a\nlist: [a]\nincluded-configs: [sub/b.yml]\n",
		"c.yml":       "x: c\nlist: [c]\n---\nlist: [c2]\n",
		"sub/b.yml":   "x: b\nlist: [b]\nincluded-configs: [d.yml, ../a.yml, b.yml]\n",
		"sub/d.yml":   "list: [d]\ncli-aliases: {big: {y: alias, list: [alias]}}\n",
		"unnamed.yml": "x: unnamed",
	}
	l := files.loaded(t, []string{"a.yml", "c.yml", "a.yml"}, Options{
		Documents: []Document{{Name: "generated", Text: []byte("list: [generated]\nx: generated")}},
		Aliases:   []string{"big", "-sequential"},
		Overrides: []string{"x=o", "list.^0="},
	})
	want := `{x: "o", list: ["c", "c2", "generated", "b", "d", "alias"], included-configs: ["sub/b.yml", "d.yml", "../a.yml", "b.yml"], ` +
		`cli-aliases: {big: {y: "alias", list: ["alias"]}}, y: "alias", modules: {local: {sequential: true}}}`
	if got := show(l.doc); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	inputs := []Input{{"a.yml", "."}, {"c.yml", "."}, {"sub/b.yml", "sub"}, {"sub/d.yml", "sub"}}
	if diff := cmp.Diff(inputs, l.file.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`file-twice: file "a.yml" is given twice and read once`}, places(l.diags)); diff != "" {
		t.Error(diff)
	}
	hidden := l.doc.Get("x").Hidden
	var files2 []string
	for _, p := range hidden {
		files2 = append(files2, p.File)
	}
	if diff := cmp.Diff([]string{"a.yml", "c.yml", "generated", "sub/b.yml"}, files2); diff != "" {
		t.Errorf("hidden (-want +got):\n%s", diff)
	}
	for _, name := range []string{"a.yml", "sub/b.yml", "-o", "generated"} {
		if _, ok := l.file.Sources[name]; !ok {
			t.Errorf("the text of %s is missing", name)
		}
	}
}

func TestLoadComplaints(t *testing.T) {
	files := shelf{
		"dir/a.yml":   "x: 1\nincluded-configs: [nope.yml, 'http://h/x.yml', {a: b}, dir2.yml]\n",
		"dir2.yml":    "y: 2\n",
		"scalar.yml":  "included-configs: b.yml\n",
		"broken.yml":  "a: b: c\n",
		"broken2.yml": "a: @x\n",
		"latin.yml":   "a: \xe9\n",
		"empty.yml":   "# nothing\n",
		"bad.yml":     "cli-aliases: {x: 1}\n",
	}
	tests := []struct {
		name  string
		files []string
		opts  Options
		want  []string
	}{
		{name: "no file", want: []string{"no-file: no scenario file is given"}},
		{name: "no such files", files: []string{"vlidate", "x.yml"}, want: []string{
			`file-not-found: file "vlidate" does not exist`, `file-not-found: file "x.yml" does not exist`}},
		{name: "files of other tools", files: []string{"a.jmx", "b.JTL", "https://h/x"}, want: []string{
			`unsupported-file: "a.jmx" is a test plan of JMeter, which only JMeter can run`,
			`unsupported-file: "b.JTL" holds results of JMeter, which cannot be loaded`,
			`unsupported-file: "https://h/x" is an address, and files are not downloaded`}},
		{name: "included files", files: []string{"dir/a.yml"}, want: []string{
			`dir/a.yml:2:20 file-not-found: included file "nope.yml" does not exist`,
			`dir/a.yml:2:30 include-url: "http://h/x.yml" is an address, and included files are not downloaded`,
			`dir/a.yml:2:48 included-configs: the name of a file is expected here, not a mapping`}},
		{name: "included-configs must be a list", files: []string{"scalar.yml"}, want: []string{
			"scalar.yml:1:19 included-configs: included-configs must be a list of files, not a scalar"}},
		{name: "all broken files are named", files: []string{"broken.yml", "empty.yml", "broken2.yml", "latin.yml"}, want: []string{
			"broken.yml:1:5 syntax: a second key and value cannot begin here",
			`broken2.yml:1:4 syntax: a value cannot begin with "@"`,
			"latin.yml:1:4 not-utf8: the text is not valid UTF-8 (byte 0xe9)"}},
		{name: "aliases", files: []string{"bad.yml"}, opts: Options{Aliases: []string{"x", "secuential", "cloud"}}, want: []string{
			`unknown-alias: unknown alias "-secuential"`,
			"alias-without-effect: -cloud has no effect: there is no cloud to run in, so the run stays on this machine",
			`bad.yml:1:18 bad-alias: alias "x" must be a piece of configuration, not a scalar`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := files.loaded(t, test.files, test.opts)
			if diff := cmp.Diff(test.want, places(l.diags)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	l := files.loaded(t, []string{"dir/a.yml"}, Options{})
	if got := l.doc.Get("y").String(); got != "2" {
		t.Errorf("the file in the working directory was not found: y is %q", got)
	}
}

func TestLoadFromDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	main := write("main.yml", "x: main\nl: [main]\nincluded-configs: [link.yml, other.yml]\n")
	write("other.yml", "l: [other]\n")
	if err := os.Symlink(main, filepath.Join(dir, "link.yml")); err != nil {
		t.Fatal(err)
	}
	write("etc/20.yml", "x: etc20\nl: [etc20]")
	write("etc/10.yml", "x: etc10\nl: [etc10]")
	write("home/.stacrun.yml", "x: home\nl: [home]")
	home := func(name string) (string, bool) { return filepath.Join(dir, "home"), name == "HOME" }

	load := func(system bool, names ...string) *loader {
		l := newLoader(context.Background(), Options{SystemConfigs: system, SystemDir: filepath.Join(dir, "etc"), Getenv: home})
		l.assemble(names)
		return l
	}
	if got := show(load(false, main).doc); got != `{x: "main", l: ["main", "other"], included-configs: ["link.yml", "other.yml"]}` {
		t.Errorf("a link to a file that was read is read again: %s", got)
	}
	if got := show(load(true, main).doc.Get("l")); got != `["etc10", "etc20", "home", "main", "other"]` {
		t.Errorf("configuration of the system: %s", got)
	}
	l := load(false, dir, "~/.stacrun.yml")
	if len(l.diags) != 1 || l.diags[0].Code != "is-a-directory" || !strings.Contains(l.diags[0].Hint, "*.yml") {
		t.Errorf("a directory: %v", l.diags)
	}
	if got := l.doc.Get("x").String(); got != "home" {
		t.Errorf("~ was not expanded: %q", got)
	}
}

func TestLoadIsInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file, diags := Load(ctx, []string{"a.yml"}, Options{FS: shelf{"a.yml": "x: 1"}.read})
	if file == nil || len(diags) != 1 || diags[0].Code != "interrupted" {
		t.Errorf("%v", diags)
	}
}

// What is missing from a document that could not be read in full is no mistake of its own, but
// what is wrong in the part that was read is.
func TestLoadIncomplete(t *testing.T) {
	files := shelf{"a.yml": "executionn: []\n", "b.yml": "a: b: c\n"}
	_, diags := Load(context.Background(), []string{"a.yml", "b.yml"}, Options{FS: files.read})
	for _, d := range diags {
		if d.Code == "missing-key" {
			t.Errorf("a consequence is reported: %v", d)
		}
	}
	if !diags.HasErrors() {
		t.Error("no error")
	}
}
