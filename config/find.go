package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/input"
)

// find looks a relative file name up in the folder of the file that names it (pos), then in the
// working directory, and returns where it was found. Tried are the places that were looked at.
func (l *loader) find(name string, pos diag.Pos) (found string, tried []string) {
	return l.findWhere(l.exists, name, pos)
}

// findDocument does so with a scenario file.
func (l *loader) findDocument(name string, pos diag.Pos) (found string, tried []string) {
	return l.findWhere(l.documentExists, name, pos)
}

func (l *loader) findWhere(exists func(string) bool, name string, pos diag.Pos) (found string, tried []string) {
	name = l.expandHome(name)
	if filepath.IsAbs(name) {
		tried = []string{name}
	} else {
		if dir := l.dirOf(pos.File); dir != "" && dir != "." {
			tried = append(tried, filepath.Join(dir, name))
		}
		tried = append(tried, filepath.Clean(name))
	}
	for _, candidate := range tried {
		if exists(candidate) {
			return candidate, tried
		}
	}
	return "", tried
}

// inFull lists the names that were tried.
func (l *loader) inFull(tried []string) string {
	full := slices.Clone(tried)
	for i, name := range full {
		if l.opts.WorkDir != "" && !filepath.IsAbs(name) {
			full[i] = filepath.Join(l.opts.WorkDir, name)
		}
	}
	return strings.Join(full, " and ")
}

// dirOf returns the folder of an input file by its name in positions; "" for pseudo files.
func (l *loader) dirOf(file string) string {
	for _, input := range l.file.Inputs {
		if input.Name == file {
			return input.Dir
		}
	}
	return ""
}

func (l *loader) exists(name string) bool {
	if l.opts.FS != nil {
		_, err := l.opts.FS(name)
		return err == nil
	}
	_, err := os.Stat(name)
	return err == nil
}

// documentExists asks who reads scenario files: a pipe may be one of them, and nothing else.
func (l *loader) documentExists(name string) bool {
	if l.opts.FS == nil {
		return l.exists(name)
	}
	_, err := l.readFile(name)
	return err == nil
}

func (l *loader) readFile(name string) ([]byte, error) {
	switch {
	case l.opts.ReadDocument != nil:
		return l.opts.ReadDocument(name)
	case l.opts.FS != nil:
		return l.opts.FS(name)
	}
	return input.File(name, input.MaxDocument)
}

func (l *loader) getenv(name string) (string, bool) {
	if l.opts.Getenv != nil {
		return l.opts.Getenv(name)
	}
	return os.LookupEnv(name)
}

// expandHome replaces a leading "~/" by the home directory, where one is known.
func (l *loader) expandHome(name string) string {
	rest, ok := strings.CutPrefix(name, "~/")
	if !ok {
		return name
	}
	home, ok := l.getenv("HOME")
	if !ok || home == "" {
		return name
	}
	return filepath.Join(home, rest)
}
