package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/input"
)

// included merges the files that `included-configs` lists, and those that they list in turn, until
// none is left. As in Taurus they are merged after the file that names them, so that their scalars
// win over it and their lists join it. A file that was read already is left out: cycles end.
func (l *loader) included() {
	for i := 0; ; i++ {
		list := l.doc.Get("included-configs")
		if list == nil || list.Kind == Null {
			return
		}
		if list.Kind != Sequence {
			l.diags.Errorf("included-configs", list.Pos, "included-configs", "included-configs must be a list of files, not a %s", list.Kind).
				WithHint("write included-configs: [%s]", strings.TrimSpace(list.String()))
			l.incomplete = true
			return
		}
		if i >= len(list.Items) {
			return
		}
		before := list
		l.include(list.Items[i], "included-configs."+itoa(i))
		if l.doc.Get("included-configs") != before {
			i = -1 // an included file replaced the list
		}
	}
}

func (l *loader) include(item *Node, path string) {
	name := item.String()
	switch {
	case item.Kind != Scalar || name == "":
		l.diags.Errorf("included-configs", item.Pos, path, "the name of a file is expected here, not a %s", item.Kind).
			WithHint("write the names of files: included-configs: [base.yml]")
		l.incomplete = true
		return
	case isURL(name):
		l.diags.Errorf("include-url", item.Pos, path, "%q is an address, and included files are not downloaded", name).
			WithHint("download it first, beside this file: curl -O %s", name)
		l.incomplete = true
		return
	}
	found, tried := l.findDocument(name, item.Pos)
	if found == "" {
		l.diags.Errorf("file-not-found", item.Pos, path, "included file %q does not exist", name).
			WithHint("looked for %s", l.inFull(tried))
		l.incomplete = true
		return
	}
	if l.wasRead(found) {
		return
	}
	l.mergeFile(found, item.Pos, path)
}

// mergeFile reads a file and merges its documents. What names it is given by pos and path, which
// are zero for the command line.
func (l *loader) mergeFile(name string, pos diag.Pos, path string) {
	text, err := l.readFile(name)
	if err != nil {
		l.unreadable(name, pos, path, err)
		return
	}
	l.file.Inputs = append(l.file.Inputs, Input{Name: name, Dir: filepath.Dir(name)})
	l.mergeText(name, text)
}

// mergeText merges the documents of a text that is known by name in positions.
func (l *loader) mergeText(name string, text []byte) {
	docs, source, diags := readText(name, text)
	l.file.Sources[name] = source
	l.diags.Add(diags...)
	if slices.ContainsFunc(diags, leavesGap) {
		l.incomplete = true
	}
	for _, doc := range docs {
		mergeInto(l.doc, doc, &l.diags)
	}
}

// leavesGap reports whether a mistake of reading means that a part of the document is missing.
// Those with a path concern one value, which is there in some form.
func leavesGap(d diag.Diagnostic) bool {
	return d.Severity == diag.Error && (d.Path == "" || d.Code == "include-tag")
}

func (l *loader) unreadable(name string, pos diag.Pos, path string, err error) {
	l.incomplete = true
	if errors.Is(err, input.ErrFolder) {
		l.diags.Errorf("is-a-directory", pos, path, "%q is a directory, not a scenario file", name).
			WithHint("name the files in it, such as %s", filepath.Join(name, "*.yml"))
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		l.diags.Errorf("file-not-found", pos, path, "file %q does not exist", name)
		return
	}
	var large *input.TooLargeError
	tooLarge := errors.As(err, &large)
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // the name stands in the message already
	}
	d := l.diags.Errorf("unreadable", pos, path, "file %q cannot be read: %v", name, err)
	if tooLarge {
		d.WithHint("a scenario file holds no data: rows and bodies stand in files of their own, under data-sources and body-file")
	}
}

// wasRead reports whether a file was read already, under whichever name.
func (l *loader) wasRead(name string) bool {
	return slices.ContainsFunc(l.file.Inputs, func(in Input) bool { return identity(in.Name) == identity(name) })
}

// identity is the absolute name of a file with its links resolved, as far as that can be found out.
func identity(name string) string {
	if absolute, err := filepath.Abs(name); err == nil {
		name = absolute
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		return resolved
	}
	return name
}

func isURL(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}
