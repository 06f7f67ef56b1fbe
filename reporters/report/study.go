package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The files in which a study keeps its answer, in its folder.
const (
	SweepFile    = "sweep.json"
	ComparedFile = "compare.json"
	CapacityFile = "capacity.json"
)

// Study is the answer of many runs. One of Sweep, Compared and Capacity is set.
type Study struct {
	Dir      string // folder of the study; its runs lie inside it
	Sweep    *Sweep
	Compared *Compared
	Capacity *Capacity
	Files    []Artifact // what was left, filled in as reporters end
}

// StudyReporter is a reporter that can also tell of a study as a whole. Such a one is used either for a run or for a study, never for
// both. BeginStudy is called before the first run, and its error forbids the study; EndStudy after the last one, also when the study was
// interrupted.
type StudyReporter interface {
	Reporter
	BeginStudy(dir string) error
	EndStudy(*Study) error
}

// Head says what a study is of.
type Head struct {
	Name    string    `json:"name"`             // of the document
	Started time.Time `json:"started,omitzero"` // zero: not known
	Version string    `json:"version"`
}

// answer is the part that is set, and the file that it is kept in.
func (s *Study) answer() (value any, file string) {
	switch {
	case s.Sweep != nil:
		return s.Sweep, SweepFile
	case s.Compared != nil:
		return s.Compared, ComparedFile
	}
	return s.Capacity, CapacityFile
}

// WriteJSON writes the answer as indented JSON and a line end.
func (s *Study) WriteJSON(w io.Writer) error {
	value, _ := s.answer()
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Save keeps the answer in the folder of the study, as a whole: a kill leaves the one before.
func (s *Study) Save() error {
	_, file := s.answer()
	return WriteFile(filepath.Join(s.Dir, file), s.WriteJSON)
}

// WriteText prints the answer for people.
func (s *Study) WriteText(w io.Writer, width int, color bool) error {
	switch {
	case s.Sweep != nil:
		return s.Sweep.WriteTable(w, width, color)
	case s.Compared != nil:
		return s.Compared.WriteText(w, width, color)
	}
	return s.Capacity.WriteText(w, width, color)
}

// WriteMarkdown prints the answer for a pull request.
func (s *Study) WriteMarkdown(w io.Writer) error {
	switch {
	case s.Sweep != nil:
		return s.Sweep.WriteMarkdown(w)
	case s.Compared != nil:
		return s.Compared.WriteMarkdown(w)
	}
	return s.Capacity.WriteMarkdown(w)
}

// WriteCSV writes the rows of the answer with a line of titles.
func (s *Study) WriteCSV(w io.Writer) error {
	switch {
	case s.Sweep != nil:
		return s.Sweep.WriteCSV(w)
	case s.Compared != nil:
		return s.Compared.WriteCSV(w)
	}
	return s.Capacity.WriteCSV(w)
}

// OpenStudy reads the answer that a study keeps in its folder; nil without an error when the folder holds none.
func OpenStudy(dir string) (*Study, error) {
	s := &Study{Dir: dir}
	for _, one := range []struct {
		file string
		into func() any
	}{
		{SweepFile, func() any { s.Sweep = &Sweep{}; return s.Sweep }},
		{ComparedFile, func() any { s.Compared = &Compared{}; return s.Compared }},
		{CapacityFile, func() any { s.Capacity = &Capacity{}; return s.Capacity }},
	} {
		name := filepath.Join(dir, one.file)
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the study: %w", err)
		}
		if err := json.Unmarshal(text, one.into()); err != nil {
			return nil, fmt.Errorf("read the study %s: %w", name, err)
		}
		return s, nil
	}
	return nil, nil //nolint:nilnil // a folder without a study is no error
}

// RunDir finds the folder of one of the study's runs: inside the study's own, wherever that was moved since, else where the
// run was written. "" when there is none.
func (s *Study) RunDir(artifacts string) string {
	if artifacts == "" {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(filepath.Clean(artifacts)), "/")
	// A run lies one folder deep in a study, or two.
	for n := 1; n <= 2 && n <= len(parts); n++ {
		dir := filepath.Join(append([]string{s.Dir}, parts[len(parts)-n:]...)...)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	if info, err := os.Stat(artifacts); err == nil && info.IsDir() {
		return artifacts
	}
	return ""
}
