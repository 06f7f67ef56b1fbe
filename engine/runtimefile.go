package engine

import (
	"errors"
	"io/fs"
	"mime"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// runTimeFile is a file whose name is only known at run time.
type runTimeFile struct {
	name *template.Template
	dir  string // of the file that names it
	read func(string) ([]byte, error)
}

// fileNamed compiles the name of a file that holds ${…}. A name that does not change is given instead, with its content, which is read now.
func (c *compiler) fileNamed(name config.Text) (later *runTimeFile, constant string, content []byte, ok bool) {
	compiled, list := c.beside(name.Pos).Text(name.Value, name.Pos, name.Path)
	c.list.Add(list...)
	if list.HasErrors() {
		return nil, "", nil, false
	}
	if constant, known := compiled.Constant(); known {
		content, err := c.beside(name.Pos).ReadFile(constant)
		if err != nil {
			c.unreadable(constant, name.Pos, name.Path, err)
		}
		return nil, constant, content, err == nil
	}
	later = &runTimeFile{name: compiled, read: c.opts.ReadFile}
	if name.Pos.File != "" {
		later.dir = filepath.Dir(name.Pos.File)
	}
	c.plan.runTimeFiles = append(c.plan.runTimeFiles, RunTimeFile{later.dir, name})
	return later, "", nil, true
}

// content gives the name and the content of the file for a user.
func (f *runTimeFile) content(u *user) (name string, content []byte, err error) {
	if name, err = f.name.Text(&u.ctx); err != nil {
		return "", nil, err
	}
	content, err = u.run.engine.bodyOf(name, f.dir, f.read)
	return name, content, err
}

// bodyOf reads a file whose name is known only at run time: beside the file that names it, then in the working directory. What it
// held is kept, within bounds.
func (e *Engine) bodyOf(name, dir string, read func(string) ([]byte, error)) ([]byte, error) {
	beside := name
	if !filepath.IsAbs(name) && dir != "" {
		beside = filepath.Join(dir, name)
	}
	if content, ok := e.files.get(beside); ok {
		return content, nil
	}
	content, err := read(beside)
	if errors.Is(err, fs.ErrNotExist) && beside != name {
		content, err = read(name)
	}
	if err != nil {
		return nil, err
	}
	e.files.keep(beside, content)
	return content, nil
}

// fileCache has the contents of files by name. Names that are made at run time may be any number: what does not fit any more
// is read each time.
type fileCache struct {
	contents sync.Map
	bytes    atomic.Int64
}

// filesKept is how much a fileCache holds at most, in bytes of names and contents.
const filesKept = 256 << 20

func (c *fileCache) get(name string) ([]byte, bool) {
	content, ok := c.contents.Load(name)
	if !ok {
		return nil, false
	}
	return content.([]byte), true
}

func (c *fileCache) keep(name string, content []byte) {
	size := int64(len(name) + len(content))
	if c.bytes.Add(size) <= filesKept {
		if _, known := c.contents.LoadOrStore(name, content); !known {
			return
		}
	}
	c.bytes.Add(-size)
}

// bodyPart is a piece of a multipart body of which some files are only known at run time.
type bodyPart struct {
	text  *template.Template // nil: it is a file
	file  *runTimeFile
	param string
	kind  string // its media type; "": by the ending of its name
}

// appendParts makes the body for a user.
func appendParts(dst []byte, parts []bodyPart, u *user) (_ []byte, err error) {
	for i := range parts {
		p := &parts[i]
		if p.text != nil {
			if dst, err = p.text.Append(dst, &u.ctx); err != nil {
				return dst, err
			}
			continue
		}
		name, content, err := p.file.content(u)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, uploadHead(p.param, name, p.kind)...), content...)
	}
	return dst, nil
}

// uploadHead is what stands before the content of a file in a multipart body.
func uploadHead(param, file, kind string) string {
	if kind == "" {
		kind = mime.TypeByExtension(filepath.Ext(file))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	return `Content-Disposition: form-data; name="` + quoteParam.Replace(param) + `"; filename="` + quoteParam.Replace(filepath.Base(file)) +
		"\"\r\nContent-Type: " + kind + "\r\n\r\n"
}
