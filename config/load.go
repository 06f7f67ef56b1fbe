package config

import (
	"context"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// Options are what [Load] takes from outside the files.
type Options struct {
	Overrides     []string                          // "path=value" of -o, in order
	Aliases       []string                          // alias names without their dash, in order
	Documents     []Document                        // generated documents, merged after the files
	FS            func(name string) ([]byte, error) // reads a file; nil: os.ReadFile
	Getenv        func(string) (string, bool)       // nil: os.LookupEnv
	Now           time.Time                         // fills the template of the artifacts folder; zero: time.Now
	ArtifactsDir  string                            // value of TAURUS_ARTIFACTS_DIR when already known
	SystemConfigs bool                              // merge /etc/stacrun.d/* and ~/.stacrun.yml before the files
	SystemDir     string                            // instead of /etc/stacrun.d
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
// The file is never nil: it holds as much as could be read, and Document and Sources are set even
// when there are errors. The diagnostics are in file order; the file may be run only when none of
// them is an error.
func Load(ctx context.Context, names []string, opts Options) (*File, diag.List) {
	l := newLoader(ctx, opts)
	l.validate()
	l.normalise()
	l.decode()
	l.diags.Sort()
	return l.file, l.diags
}

func newLoader(ctx context.Context, opts Options) *loader {
	doc := &Node{Kind: Mapping}
	return &loader{ctx: ctx, opts: opts, doc: doc, file: &File{Document: doc, Sources: diag.Sources{}}}
}
