package report

import "strings"

// MarkdownText makes a text from outside stand in Markdown as it is: one line, without formatting, links,
// mentions of people or issues, HTML, and cells of a table.
func MarkdownText(s string) string {
	var b strings.Builder
	text := strings.TrimSpace(Clean(s))
	for i, r := range text {
		switch {
		case r == ':' && (i+1 == len(text) || text[i+1] == ' '): // neither an address nor the begin of an emoji
			b.WriteByte(':')
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
