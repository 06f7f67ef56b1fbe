package extract

import "strings"

// maxHits bounds how many matches one extraction keeps.
const maxHits = 10_000

// hits are the matches that a finder found, up to a limit.
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

// join adds the matches of another response.
func (h *hits) join(more *hits) {
	for i, value := range more.values {
		if more.isJSON(i) {
			for len(h.json) < len(h.values) {
				h.json = append(h.json, false)
			}
			h.json = append(h.json, true)
		}
		h.values = append(h.values, value)
		if i < len(more.groups) {
			h.groups = append(h.groups, more.groups[i])
		}
	}
}

func (h *hits) isJSON(i int) bool { return i < len(h.json) && h.json[i] }

func (h *hits) add(value string) { h.values = append(h.values, strings.Clone(value)) }

// finder looks for matches. It is immutable and shared by all users. limit ≥ 1 says how many
// matches are wanted; the error says why the response cannot be searched.
type finder interface {
	find(r *Response, limit int) (hits, error)
}

// headerFinder finds the values of a header.
type headerFinder struct{ name string }

func (f headerFinder) find(r *Response, limit int) (hits, error) {
	var h hits
	for name, value := range headerLines(r.Head) {
		if strings.EqualFold(name, f.name) {
			h.values = append(h.values, value)
			if len(h.values) == limit {
				break
			}
		}
	}
	return h, nil
}

// boundaryFinder finds what stands between two texts. Without a left one it begins at the start,
// without a right one it ends at the end.
type boundaryFinder struct {
	left, right string
	subject     Subject
}

func (f boundaryFinder) find(r *Response, limit int) (hits, error) {
	var h hits
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
	return h, nil
}
