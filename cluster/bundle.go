package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/internal/input"
)

// Limits of what agents are sent, in bytes.
const (
	MaxFile  = 64 << 20
	MaxFiles = 256 << 20 // all files of a run together
)

// Bundle is everything that a plan was made of: whatever was asked of the machine while it was made, and the answers. An agent that
// gives the same answers makes the same plan. Files are named by their content.
type Bundle struct {
	Names        []string           `json:"names"`
	Overrides    []string           `json:"overrides"`
	Aliases      []string           `json:"aliases"`
	Documents    []config.Document  `json:"documents"`
	Now          time.Time          `json:"now"`
	ArtifactsDir string             `json:"artifacts_dir"`
	Seed         uint64             `json:"seed"`
	Env          map[string]*string `json:"env"`    // variables that were asked for; null: not set
	Files        map[string]string  `json:"files"`  // hash by name as it was asked for
	Digest       string             `json:"digest"` // of the document as it is understood
	Preflight    bool               `json:"preflight"`

	contents map[string][]byte // by hash
}

// Pack records what a document and its plan are made of. The options are those with which the document was loaded, the seed that of
// its plan. What cannot be sent is an error. A scenario file from a pipe is sent where options.ReadDocument gives what it
// gave before.
func Pack(ctx context.Context, names []string, options config.Options, compile engine.Options, seed uint64) (*Bundle, diag.List) {
	b := &Bundle{
		Names: names, Overrides: options.Overrides, Aliases: options.Aliases, Documents: options.Documents, Now: options.Now,
		ArtifactsDir: options.ArtifactsDir, Seed: seed, Env: map[string]*string{}, Files: map[string]string{}, contents: map[string][]byte{},
	}
	r := &recorder{bundle: b, getenv: options.Getenv, document: options.ReadDocument}
	if r.getenv == nil {
		r.getenv = os.LookupEnv
	}
	options.FS, options.ReadDocument, options.Getenv = r.readFile, r.readDocument, r.lookup
	compile.ReadFile, compile.OpenFile, compile.Getenv, compile.Seed = r.readFile, r.openFile, r.lookup, &seed
	file, list := config.Load(ctx, names, options)
	var plan *engine.Plan
	if !list.HasErrors() {
		var found diag.List
		plan, found = engine.Compile(file, compile)
		list.Add(found...)
	}
	if refused := r.refused(list); len(refused) > 0 {
		return nil, refused
	}
	if list.HasErrors() {
		return nil, list // what was fine a moment ago has changed
	}
	for _, file := range plan.RunTimeFiles() {
		r.runTimeFiles(file, &list)
	}
	if refused := r.refused(list); len(refused) > 0 {
		return nil, refused
	}
	b.Digest, b.Preflight = digest(file), file.Settings.Preflight
	if list.HasErrors() {
		return nil, list
	}
	return b, nil
}

// digest is a fingerprint of the document as it is understood.
func digest(file *config.File) string {
	sum := sha256.New()
	_ = config.Format(sum, file.Document, config.FormatOptions{}) // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}

// recorder answers from the machine, and notes question and answer.
type recorder struct {
	bundle   *Bundle
	getenv   func(string) (string, bool)
	document func(string) ([]byte, error) // reads a scenario file; nil: it is read as any other
	total    int64
	unsent   []unsentFile
}

// unsentFile is one that is not sent, with its reason.
type unsentFile struct{ name, code, reason, hint string }

func (r *recorder) lookup(name string) (string, bool) {
	value, ok := r.getenv(name)
	if ok {
		r.bundle.Env[name] = &value
	} else {
		r.bundle.Env[name] = nil
	}
	return value, ok
}

func (r *recorder) readDocument(name string) ([]byte, error) {
	if r.document == nil {
		return r.readFile(name)
	}
	return r.record(name, r.document)
}

func (r *recorder) readFile(name string) ([]byte, error) { return r.record(name, r.fromMachine) }

func (r *recorder) fromMachine(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeNamedPipe != 0: // it was read for the plan of this process, and waiting for more would have no end
		return nil, r.refuse(unsentFile{name, "file-not-sent", "is a pipe, and agents are sent files", "write what it gives to a file"})
	case info.Size() > MaxFile:
		return nil, r.tooMuch(name, fmt.Sprintf("is %s large, and agents are sent files up to %s", size(info.Size()), size(MaxFile)))
	}
	return input.File(name, MaxFile)
}

// record gives the content of a file as it was when it was read first.
func (r *recorder) record(name string, read func(string) ([]byte, error)) ([]byte, error) {
	if hash, known := r.bundle.Files[name]; known {
		return r.bundle.contents[hash], nil
	}
	content, err := read(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	if _, known := r.bundle.contents[hash]; !known {
		if r.total += int64(len(content)); r.total > MaxFiles {
			return nil, r.tooMuch(name, fmt.Sprintf("is one too many: agents are sent files of %s together", size(MaxFiles)))
		}
	}
	r.bundle.Files[name], r.bundle.contents[hash] = hash, content
	return content, nil
}

func (r *recorder) openFile(name string) (io.ReadCloser, int64, error) {
	content, err := r.readFile(name)
	if err != nil {
		return nil, 0, err
	}
	return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
}

func (r *recorder) tooMuch(name, reason string) error {
	return r.refuse(unsentFile{name, "file-too-large", reason, "cut the file down"})
}

func (r *recorder) refuse(file unsentFile) error {
	if !slices.ContainsFunc(r.unsent, func(other unsentFile) bool { return other.name == file.name }) {
		r.unsent = append(r.unsent, file)
	}
	return errors.New(file.reason)
}

// runTimeFiles reads all files that a name with variables may mean.
func (r *recorder) runTimeFiles(file engine.RunTimeFile, list *diag.List) {
	pattern := inTemplates.ReplaceAllString(file.Name.Value, "*")
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(file.Dir, pattern)
	}
	names, _ := filepath.Glob(pattern) // a pattern that is none finds nothing
	found := 0
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if _, err := r.readFile(name); err == nil {
			found++
		}
	}
	if found == 0 && len(r.unsent) == 0 {
		list.Errorf("file-not-sent", file.Name.Pos, file.Name.Path, "agents are sent all files %s, but there are none", pattern).
			WithHint("only a part of a file's name may be made while the load runs: name its folder and its ending")
	}
}

// inTemplates is what stands in a file's name for what is not known yet.
var inTemplates = regexp.MustCompile(`\$\{[^}]*\}`)

// refused tells of the files that are not sent, where the document names them: there they were said to be unreadable.
func (r *recorder) refused(list diag.List) (refused diag.List) {
	for _, file := range r.unsent {
		pos, path := diag.Pos{}, ""
		for _, d := range list {
			if pos == (diag.Pos{}) && d.Severity == diag.Error && strings.Contains(d.Message+d.Hint, filepath.Base(file.name)) {
				pos, path = d.Pos, d.Path
			}
		}
		refused.Errorf(file.code, pos, path, "%q %s", file.name, file.reason).
			WithHint("%s, or run it in one process, without --agents", file.hint)
	}
	return refused
}

func size(n int64) string { return fmt.Sprintf("%.4g MB", float64(n)/(1<<20)) }

// missing lists the hashes of files whose content is not there.
func (b *Bundle) missing() (hashes []string) {
	for _, hash := range b.Files {
		if _, known := b.contents[hash]; !known && !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	slices.Sort(hashes)
	return hashes
}

// unpack makes the plan of a share from what was recorded.
func (b *Bundle) unpack(ctx context.Context, compile engine.Options, share engine.Share) (*engine.Plan, string, error) {
	read := func(name string) ([]byte, error) {
		if hash, known := b.Files[name]; known {
			return b.contents[hash], nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	getenv := func(name string) (string, bool) {
		if value := b.Env[name]; value != nil {
			return *value, true
		}
		return "", false
	}
	compile.ReadFile, compile.Getenv, compile.Seed, compile.Share = read, getenv, &b.Seed, share
	compile.OpenFile = func(name string) (io.ReadCloser, int64, error) {
		content, err := read(name)
		return io.NopCloser(bytes.NewReader(content)), int64(len(content)), err
	}
	file, list := config.Load(ctx, b.Names, config.Options{
		Overrides: b.Overrides, Aliases: b.Aliases, Documents: b.Documents, Now: b.Now, ArtifactsDir: b.ArtifactsDir, FS: read, Getenv: getenv,
	})
	if err := firstError(list); err != nil {
		return nil, "", err
	}
	plan, list := engine.Compile(file, compile)
	if err := firstError(list); err != nil {
		return nil, "", err
	}
	return plan, digest(file), nil
}

func firstError(list diag.List) error {
	for i := range list {
		if list[i].Severity == diag.Error {
			return errors.New(list[i].Error())
		}
	}
	return nil
}

func (b *Bundle) marshal() []byte {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err) // all of it can be marshalled
	}
	return text
}

func unmarshalBundle(text []byte) (*Bundle, error) {
	b := &Bundle{contents: map[string][]byte{}}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	return b, nil
}
