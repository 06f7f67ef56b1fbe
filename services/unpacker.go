package services

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// unpacker unpacks zip archives into the artifacts folder.
type unpacker struct {
	base
	files []string
}

func newUnpacker(module config.Module, env Env) (Service, diag.List) {
	env = env.withDefaults()
	o := options{module: module}
	u := &unpacker{base: base{module.Name}}
	for _, n := range o.list("files") {
		u.files = append(u.files, env.find(n.String(), n.Pos))
	}
	return u, o.faults
}

// maxUnpacked bounds what all files of one archive may grow to, in bytes.
const maxUnpacked = 4 << 30

// Prepare unpacks.
func (u *unpacker) Prepare(ctx context.Context, dir string) error {
	for _, name := range u.files {
		if err := unpack(ctx, name, dir); err != nil {
			return fmt.Errorf("unpack %s: %w", name, err)
		}
	}
	return nil
}

func unpack(ctx context.Context, name, dir string) (err error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	root, err := os.OpenRoot(dir) // no name in the archive leads out of it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	left := int64(maxUnpacked)
	for _, f := range archive.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.FileInfo().IsDir() {
			if err := root.MkdirAll(filepath.FromSlash(f.Name), 0o755); err != nil {
				return err
			}
			continue
		}
		if !f.Mode().IsRegular() {
			return fmt.Errorf("%s is neither a file nor a folder", f.Name)
		}
		n, err := unpackOne(root, f, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func unpackOne(root *os.Root, f *zip.File, left int64) (n int64, err error) {
	name := filepath.FromSlash(f.Name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, err
	}
	in, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, f.Mode().Perm()|0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err = io.Copy(out, io.LimitReader(in, left+1))
	if err == nil && n > left {
		err = fmt.Errorf("the archive unpacks to more than %d bytes", int64(maxUnpacked))
	}
	return n, err
}
