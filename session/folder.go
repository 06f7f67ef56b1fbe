package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Why a folder is refused.
var (
	ErrHoldsRun = errors.New("the folder holds an earlier run")
	ErrInUse    = errors.New("another run still goes on in the folder")
)

// TakeFolder makes the folder where it is missing and keeps it from other runs and studies until give is called, or until the process
// is gone, however it ends: the lock is the system's. The error wraps [ErrInUse] when another one has it. Where the file system
// knows no locks there is none, and nothing is refused.
func TakeFolder(dir string) (give func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the artifacts folder: %w", err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open the artifacts folder: %w", err)
	}
	if !lock(folder) {
		_ = folder.Close() // nothing was written
		return nil, fmt.Errorf("artifacts folder %s: %w", dir, ErrInUse)
	}
	return func() { _ = folder.Close() }, nil
}

// clearFolder refuses a folder that holds a run, unless overwrite: then the files of that run are removed first, so that none of them
// is taken for a new one. The folder was taken.
func clearFolder(dir string, overwrite bool) error {
	if _, err := os.Stat(filepath.Join(dir, LogFile)); err != nil {
		return nil
	}
	if !overwrite {
		return fmt.Errorf("artifacts folder %s: %w", dir, ErrHoldsRun)
	}
	for _, name := range []string{LogFile, SummaryFile, EffectiveFile, MergedFile, TextLogFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear the artifacts folder: %w", err)
		}
	}
	return nil
}

// FreeFolder returns dir, or dir-1, dir-2 … when that holds a run: a folder of the document may have
// a fixed name, and two runs may begin in one tick of a dated one.
func FreeFolder(dir string) string {
	name := dir
	for n := 1; ; n++ {
		if _, err := os.Stat(filepath.Join(name, LogFile)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s-%d", dir, n)
	}
}
