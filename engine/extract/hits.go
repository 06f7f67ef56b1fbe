package extract

import "strings"

// maxHits bounds how many matches one extraction keeps.
const maxHits = 10_000

// hitsKept bounds for how many matches a [Result] keeps room between two extractions: each user has one.
const hitsKept = 16

// hits are the matches that finders found, up to a limit.
type hits struct {
	values []string   // copies: they do not depend on the response's buffers
	json   []bool     // of each match: it is no string in a JSON document; nil or shorter: false
	groups [][]string // of each match, for patterns
}

// addJSON adds the text of a JSON value that is no string.
func (h *hits) addJSON(text string) {
	for len(h.json) < len(h.values) {
		h.json = append(h.json, false)
	}
	h.json = append(h.json, true)
	h.add(text)
}

// empty forgets the matches and keeps the room for others, unless there were many.
func (h *hits) empty() {
	if cap(h.values) > hitsKept {
		*h = hits{}
		return
	}
	clear(h.values)
	clear(h.groups)
	h.values, h.json, h.groups = h.values[:0], h.json[:0], h.groups[:0]
}

func (h *hits) isJSON(i int) bool { return i < len(h.json) && h.json[i] }

func (h *hits) add(value string) { h.values = append(h.values, strings.Clone(value)) }

// finder looks for matches. It is immutable and shared by all users. It adds to h until that has limit matches, which it has
// not yet; the error says why the response cannot be searched.
type finder interface {
	find(r *Response, limit int, h *hits) error
}

// headerFinder finds the values of a header.
type headerFinder struct{ name string }

func (f headerFinder) find(r *Response, limit int, h *hits) error {
	for name, value := range headerLines(r.Head) {
		if strings.EqualFold(name, f.name) {
			h.values = append(h.values, value)
			if len(h.values) == limit {
				break
			}
		}
	}
	return nil
}

// boundaryFinder finds what stands between two texts. Without a left one it begins at the start,
// without a right one it ends at the end.
type boundaryFinder struct {
	left, right string
	subject     Subject
}

func (f boundaryFinder) find(r *Response, limit int, h *hits) error {
	rest := textOf(f.subject.Of(r))
	for len(h.values) < limit {
		at := strings.Index(rest, f.left)
		if at < 0 {
			break
		}
		rest = rest[at+len(f.left):]
		if f.right == "" {
			h.add(rest)
			break
		}
		end := strings.Index(rest, f.right)
		if end < 0 {
			break
		}
		h.add(rest[:end])
		rest = rest[end+len(f.right):]
		if f.left == "" {
			break
		}
	}
	return nil
}
