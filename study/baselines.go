package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// BaselinesDir is where baselines are kept, below the working directory.
const BaselinesDir = ".stacrun/baselines"

// Baselines lists the names of baselines.
func Baselines(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, BaselinesDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Save copies runs into a new baseline, logs and summaries only.
func Save(root, name string, dirs []string) (string, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%q cannot be the name of a baseline: use letters, digits, dots, dashes", name)
	}
	var folders []string
	for _, dir := range dirs {
		found, err := runFolders(dir)
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return "", fmt.Errorf("folder %s holds no run", dir)
		}
		folders = append(folders, found...)
	}
	var first []string
	for _, dir := range folders { // before anything is written
		run, err := openRun(dir)
		if err != nil {
			return "", err
		}
		if first == nil {
			first = run.labels
		} else if !slices.Equal(first, run.labels) {
			return "", fmt.Errorf("the runs in %s and %s have different labels, so they are no runs of one scenario", folders[0], dir)
		}
	}
	target := filepath.Join(root, BaselinesDir, name)
	temporary := target + ".new"
	if err := os.RemoveAll(temporary); err != nil {
		return "", fmt.Errorf("save the baseline: %w", err)
	}
	for i, dir := range folders {
		if err := copyRun(dir, filepath.Join(temporary, "run-"+strconv.Itoa(i+1))); err != nil {
			return "", fmt.Errorf("save the baseline: %w", err)
		}
	}
	if err := os.RemoveAll(target); err != nil {
		return "", fmt.Errorf("save the baseline: %w", err)
	}
	if err := os.Rename(temporary, target); err != nil {
		return "", fmt.Errorf("save the baseline: %w", err)
	}
	return target, nil
}

func copyRun(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range []string{logFile, summaryFile} {
		text, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil { //nolint:gosec // results are not secret
			return err
		}
	}
	return nil
}
