package engine

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// beside gives the compiler of texts that stand at pos: files that they name are looked up beside the file that
// names them, then in the working directory.
func (c *compiler) beside(pos diag.Pos) *template.Compiler {
	c.templates.ReadFile = func(name string) ([]byte, error) {
		if filepath.IsAbs(name) || pos.File == "" {
			return c.opts.ReadFile(name)
		}
		content, err := c.opts.ReadFile(filepath.Join(filepath.Dir(pos.File), name))
		if errors.Is(err, fs.ErrNotExist) {
			return c.opts.ReadFile(name)
		}
		return content, err
	}
	return c.templates
}
