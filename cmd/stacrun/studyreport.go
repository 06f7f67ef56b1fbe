package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters"
	"github.com/stacrun/stacrun/reporters/html"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/study"
)

// studyFlags choose how the answer of a study is told.
type studyFlags struct {
	Format string `enum:"text,markdown,json" default:"text" help:"text, markdown (for a pull request) or json."`
	HTML   string `name:"html" placeholder:"FILE" help:"Write it as a page as well, one file that needs no network."`
}

// head says what the study is of.
func (s *studyRun) head(names []string) report.Head {
	return report.Head{Name: documentName(names), Started: s.now, Version: version}
}

// beginStudy makes the reporters that tell of the study, and sees whether they can write.
func (s *studyRun) beginStudy(file *config.File, flags *studyFlags, dir string) error {
	list, found := reporters.Study(file, s.sessionOptions().Reporters)
	if found.HasErrors() {
		return s.explain(&study.InvalidError{Diagnostics: found, File: file})
	}
	if flags.HTML != "" {
		list = append(list, html.New(html.Options{Filename: flags.HTML}))
		s.pages = true
	}
	for _, reporter := range list {
		if err := reporter.BeginStudy(dir); err != nil {
			return err
		}
	}
	s.reporters = list
	return nil
}

// endStudy has the reporters write; what one of them cannot, the others still do.
func (s *studyRun) endStudy(answer *report.Study) error {
	var problems []error
	for _, reporter := range s.reporters {
		problems = append(problems, reporter.EndStudy(answer))
	}
	return errors.Join(problems...)
}

// finish writes and prints the answer.
func (s *studyRun) finish(answer *report.Study, flags *studyFlags) error {
	written := s.endStudy(answer)
	told := s.print(func(w io.Writer) error {
		if flags.Format != "text" {
			return printStudy(w, answer, flags.Format)
		}
		if err := answer.WriteText(w, cmp.Or(terminalWidth(s.stdout), 120), s.color(s.stdout)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "runs: %s\n", answer.Dir)
		for _, file := range answer.Files {
			if err == nil {
				_, err = fmt.Fprintf(w, "%s: %s\n", file.Kind, file.Path)
			}
		}
		return err
	})
	return errors.Join(written, told)
}

// printStudy writes the answer of a study in a form for programs or pull requests.
func printStudy(w io.Writer, answer *report.Study, format string) error {
	if format == "json" {
		return answer.WriteJSON(w)
	}
	return answer.WriteMarkdown(w)
}

// withPages adds the page of a run to reporters that have none.
func withPages(modules []config.Module) []config.Module {
	page := func(m config.Module) bool {
		return (m.Name == "html" || m.Name == "report-html") && m.Options.Get("filename").String() == ""
	}
	if slices.ContainsFunc(modules, page) {
		return modules
	}
	return append(slices.Clip(modules), config.Module{Name: "html", Path: "reporting"})
}
