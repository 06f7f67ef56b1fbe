package console

import (
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
)

// CI is the service in whose log plain lines stand.
type CI string

// The services whose logs have marks of their own.
const (
	NoCI   CI = ""
	GitHub CI = "github"
	GitLab CI = "gitlab"
)

// CIOf reads from the environment which service runs this process.
func CIOf(getenv func(string) (string, bool)) CI {
	if value, _ := getenv("GITHUB_ACTIONS"); value == "true" {
		return GitHub
	}
	if value, _ := getenv("GITLAB_CI"); value == "true" {
		return GitLab
	}
	return NoCI
}

// section is the name of GitLab's section.
const section = "stacrun_progress"

// openGroup begins the part of the log that holds the plain lines, so that readers can fold it.
func (c *Console) openGroup() error {
	switch c.options.CI {
	case GitHub:
		return c.print("::group::progress of " + data(report.Clean(c.run.Name)))
	case GitLab:
		return c.print(fmt.Sprintf("\x1b[0Ksection_start:%d:%s[collapsed=true]\r\x1b[0Kprogress of %s", c.options.Now().Unix(), section, report.Clean(c.run.Name)))
	}
	return nil
}

func (c *Console) closeGroup() error {
	switch c.options.CI {
	case GitHub:
		return c.print("::endgroup::")
	case GitLab:
		return c.print(fmt.Sprintf("\x1b[0Ksection_end:%d:%s\r\x1b[0K", c.options.Now().Unix(), section))
	}
	return nil
}

// annotate marks what failed: on GitHub by annotations, which stand at the line of the file where the rule was written; on GitLab, which
// has none, by lines in red.
func (c *Console) annotate(o *report.Outcome) error {
	if c.options.CI == NoCI {
		return nil
	}
	for _, v := range o.Verdicts {
		if !v.Fails && v.Result != criteria.Noticed {
			continue
		}
		text := report.Clean(v.Text) + ": observed " + report.Clean(v.Observed) + ", limit " + report.Clean(v.Limit)
		if v.Result == criteria.NotEvaluated {
			text = report.Clean(v.Text) + ": not evaluated, " + report.Clean(v.Reason)
		}
		if v.Rule.Message != "" {
			text = report.Clean(v.Rule.Message) + ": " + text
		}
		if err := c.mark(v.Fails, "criterion failed", text, v.Rule.Pos.File, v.Rule.Pos.Line); err != nil {
			return err
		}
	}
	for _, text := range o.Errors {
		if err := c.mark(true, "load test", report.Clean(text), "", 0); err != nil {
			return err
		}
	}
	return nil
}

func (c *Console) mark(fails bool, title, text, file string, line int) error {
	level, colour := "error", "31"
	if !fails {
		level, colour, title = "warning", "33", "criterion noticed"
	}
	if c.options.CI == GitLab {
		return c.print("\x1b[" + colour + "m" + title + ": " + text + "\x1b[0m")
	}
	properties := "title=" + property(title)
	if file != "" && line > 0 {
		properties = fmt.Sprintf("file=%s,line=%d,%s", property(file), line, properties)
	}
	return c.print("::" + level + " " + properties + "::" + data(text))
}

// data and property escape what GitHub's commands would take for their own syntax.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
