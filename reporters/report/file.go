package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// OutputPath gives the file that a reporter writes: as the user named it, relative to the working
// directory, with ${TAURUS_ARTIFACTS_DIR} replaced, or the default name in the artifacts folder.
func OutputPath(given, dir, fallback string) string {
	if given == "" {
		return filepath.Join(dir, fallback)
	}
	return strings.NewReplacer("${TAURUS_ARTIFACTS_DIR}", dir, "$TAURUS_ARTIFACTS_DIR", dir).Replace(given)
}

// CheckWritable makes the folder of a file that is to be written and sees whether files can be made
// in it, so that a wrong path shows before the run.
func CheckWritable(name string) error {
	if isNoFile(name) {
		return nil // opening a pipe waits for its reader
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder", name)
	}
	probe, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Rewrite writes a file that [WriteFile] has written again. One that is gone since stays gone, and what is no file is not written to twice.
func Rewrite(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return WriteFile(name, write)
}

// WriteFile writes a file as a whole: readers see the old one or the new one, never half of it, and
// a full disk leaves the old one. Of a symbolic link the file behind it is replaced. What is no file,
// such as /dev/stdout or a pipe, is written to and stays what it is.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	if isNoFile(name) {
		return writeInto(name, write)
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		name = resolved
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", name, err)
			_ = f.Close()           // the first error is the one to tell
			_ = os.Remove(f.Name()) // a left-over would only confuse
		}
	}()
	buffered := bufio.NewWriter(f)
	if err = write(buffered); err != nil {
		return err
	}
	if err = buffered.Flush(); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// isNoFile reports whether a name stands for something that must not be replaced: a device, a pipe, or what
// this process has open already, such as /dev/stdout, also where that is a file.
func isNoFile(name string) bool {
	if clean := filepath.Clean(name); strings.HasPrefix(clean, "/dev/fd/") || clean == "/dev/stdout" || clean == "/dev/stderr" {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// writeInto writes behind what is there.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err // names the file
	}
	buffered := bufio.NewWriter(f)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
