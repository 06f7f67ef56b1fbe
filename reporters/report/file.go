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

// WriteFile writes a file as a whole: readers see the old one or the new one, never half of it, and
// a full disk leaves the old one.
func WriteFile(name string, write func(io.Writer) error) (err error) {
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
