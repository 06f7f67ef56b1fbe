package markdown

import (
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// escape makes a text from outside stand in Markdown as it is: one line, without formatting, links,
// mentions of people or issues, HTML, and cells of a table.
func escape(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(report.Clean(s)) {
		switch {
		case strings.ContainsRune("\\`*_{}[]()~|!$:", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@' || r == '#': // a joiner of no width keeps these from naming someone or something
			b.WriteRune(r)
			b.WriteRune('\u2060')
		default:
			b.WriteRune(r)
		}
	}
	// GitHub links these even without http://.
	out := strings.ReplaceAll(b.String(), "www.", "www\\.")
	// At the beginning of a line these would make a list or a heading.
	if out != "" && strings.ContainsRune("+-=", rune(out[0])) {
		return "\\" + out
	}
	return out
}

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
