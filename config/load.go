package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// Options are what [Load] takes from outside the files.
type Options struct {
	Overrides     []string                          // "path=value" of -o, in order
	Aliases       []string                          // alias names without their dash, in order
	Documents     []Document                        // generated documents, merged after the files
	FS            func(name string) ([]byte, error) // reads a file; nil: of the machine, at most [input.MaxDocument]
	ReadDocument  func(name string) ([]byte, error) // reads a scenario file, the same again each time; nil: FS does
	Getenv        func(string) (string, bool)       // nil: os.LookupEnv
	Now           time.Time                         // fills the template of the artifacts folder; zero: time.Now
	ArtifactsDir  string                            // value of TAURUS_ARTIFACTS_DIR when already known
	SystemConfigs bool                              // merge /etc/stacrun.d/* and ~/.stacrun.yml before the files
	SystemDir     string                            // instead of /etc/stacrun.d
	WorkDir       string                            // the working directory, to tell in full which files were looked for; "": as they were named
}

// Document is a document that was generated rather than read from a file.
type Document struct {
	Name string // as it shall stand in positions
	Text []byte
}

// loader carries a document through the stages of [Load].
type loader struct {
	ctx   context.Context
	opts  Options
	doc   *Node // the merged document; never nil, always a Mapping
	file  *File
	diags diag.List

	// incomplete is set when a part of the document could not be read, so that what is missing
	// from it must not be reported as a mistake of its own.
	incomplete bool
}

// Load reads the named files in order, merges them and turns the result into a [File].
//
// The order is that of Taurus: files, generated documents, included files, aliases, overrides,
// variables of the environment; then the document is held against the schema, its short forms
// are written out and its values converted.
//
// The file is never nil: it holds as much as could be read, and Document and Sources are set even
// when there are errors. The diagnostics are in file order; the file may be run only when none of
// them is an error.
func Load(ctx context.Context, names []string, opts Options) (*File, diag.List) {
	l := newLoader(ctx, opts)
	l.assemble(names)
	l.file.Merged = l.doc.Clone()
	read := len(l.diags)
	if l.incomplete {
		l.judgeWhatIsThere()
	} else {
		l.validate()
		l.normalise()
		l.decode()
	}
	l.dropConsequences(read)
	l.file.Document = l.doc
	l.diags.Sort()
	return l.file, l.diags
}

// assemble makes the merged document: everything that needs no knowledge of what keys mean.
func (l *loader) assemble(names []string) {
	l.read(names)
	l.included()
	l.aliases()
	l.executionList()
	l.overrides()
	l.executionList()
	l.substitute()
}

func newLoader(ctx context.Context, opts Options) *loader {
	doc := &Node{Kind: Mapping}
	return &loader{ctx: ctx, opts: opts, doc: doc, file: &File{Document: doc, Sources: diag.Sources{}}}
}

// read merges the configuration of the system when asked for, the named files, and the generated
// documents.
func (l *loader) read(names []string) {
	if l.opts.SystemConfigs {
		l.systemConfigs()
	}
	if len(names) == 0 && len(l.opts.Documents) == 0 {
		l.incomplete = true
		l.diags.Errorf("no-file", diag.Pos{}, "", "no scenario file is given").
			WithHint("name one, such as: stacrun scenarios/embedded.yml")
	}
	for _, name := range names {
		if err := l.ctx.Err(); err != nil {
			l.incomplete = true
			l.diags.Errorf("interrupted", diag.Pos{}, "", "reading was interrupted: %v", err)
			return
		}
		l.argument(name)
	}
	for _, document := range l.opts.Documents {
		l.mergeText(document.Name, document.Text)
	}
}

// argument reads one file of the command line.
func (l *loader) argument(name string) {
	name = l.expandHome(name)
	refuse := func(hint, format string, args ...any) {
		l.incomplete = true
		l.diags.Errorf("unsupported-file", diag.Pos{}, "", format, args...).WithHint("%s", hint)
	}
	switch extension := strings.ToLower(filepath.Ext(name)); {
	case isURL(name):
		refuse("download it first: curl -O "+name, "%q is an address, and files are not downloaded", name)
	case extension == ".jmx":
		refuse("write its requests under scenarios.NAME.requests and its thread group under execution",
			"%q is a test plan of JMeter, which only JMeter can run", name)
	case extension == ".jtl":
		refuse("run the scenario again with stacrun; stacrun report DIR shows earlier runs of its own",
			"%q holds results of JMeter, which cannot be loaded", name)
	case l.wasRead(name):
		l.diags.Warnf("file-twice", diag.Pos{}, "", "file %q is given twice and read once", name)
	default:
		l.mergeFile(name, diag.Pos{}, "")
	}
}

// systemConfigs merges /etc/stacrun.d/* in order of name, then ~/.stacrun.yml. Either may be missing.
func (l *loader) systemConfigs() {
	dir := l.opts.SystemDir
	if dir == "" {
		dir = "/etc/stacrun.d"
	}
	entries, _ := os.ReadDir(dir) // sorted; nothing when it cannot be read
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			l.mergeFile(filepath.Join(dir, entry.Name()), diag.Pos{}, "")
		}
	}
	if own := l.expandHome("~/.stacrun.yml"); own[0] != '~' && l.documentExists(own) {
		l.mergeFile(own, diag.Pos{}, "")
	}
}

// executionList turns the short form of `execution`, one mapping, into a list of one, so that
// overrides need to know one form only.
func (l *loader) executionList() {
	if e := l.doc.Entry("execution"); e != nil && e.Value.Kind == Mapping {
		e.Value = &Node{Kind: Sequence, Items: []*Node{e.Value}, Pos: e.Value.Pos}
	}
}

// judgeWhatIsThere holds an incomplete document against the schema. Keys that seem to be missing
// may stand in the part that could not be read.
func (l *loader) judgeWhatIsThere() {
	if len(l.doc.Entries) == 0 {
		return
	}
	before := len(l.diags)
	l.validate()
	l.diags = append(l.diags[:before:before], slices.DeleteFunc(l.diags[before:], func(d diag.Diagnostic) bool {
		return d.Code == "missing-key"
	})...)
}

// dropConsequences removes what was found wrong with a value that was already reported when it was
// read: the first read diagnostics. One mistake is told once.
func (l *loader) dropConsequences(read int) {
	told := map[diag.Pos]bool{}
	for _, d := range l.diags[:read] {
		if d.Severity == diag.Error && d.Pos.Known() {
			told[d.Pos] = true
		}
	}
	l.diags = append(l.diags[:read:read], slices.DeleteFunc(l.diags[read:], func(d diag.Diagnostic) bool { return told[d.Pos] })...)
}
