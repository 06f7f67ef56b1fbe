package markdown

import (
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// escape makes a text from outside stand in Markdown as it is.
func escape(s string) string { return report.MarkdownText(s) }

// code shows a text as code, with as many back-quotes around it as it takes. Within a table a bar
// must be escaped even there.
func code(s string) string {
	s = strings.TrimSpace(report.Clean(s))
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	s = strings.ReplaceAll(s, "|", "\\|")
	if longest > 0 {
		s = " " + s + " "
	}
	return fence + s + fence
}
