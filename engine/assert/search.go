package assert

import "bytes"

// needle is a text to look for. Searching goes from one place where its two rarest bytes stand as they should to the next:
// JSON is full of quotes, so that looking for the first byte of `"id"` stops at every string.
type needle struct {
	text  []byte
	rare  int // where its rarest byte stands
	other int // where the rarest one but that stands; the same where all its bytes are alike
}

func newNeedle(text []byte) needle {
	n := needle{text: text}
	for i, b := range text {
		if frequency[b] < frequency[text[n.rare]] {
			n.rare = i
		}
	}
	n.other = n.rare
	for i, b := range text {
		if b != text[n.rare] && (n.other == n.rare || frequency[b] < frequency[text[n.other]]) {
			n.other = i
		}
	}
	return n
}

// in reports whether the text stands in body.
func (n needle) in(body []byte) bool {
	if len(n.text) == 0 {
		return true
	}
	tries := 0
	for at := 0; at+len(n.text) <= len(body); at++ {
		next := n.candidate(body[at:])
		at += next
		if next < 0 || at+len(n.text) > len(body) {
			return false
		}
		differs := n.mismatch(body[at:])
		if differs < 0 {
			return true
		}
		n.other = differs // answers repeat themselves: it tells the next such place too
		// Where even the rarest bytes are frequent, the library's search is better.
		if tries++; tries > 16 && tries > at>>4 {
			return bytes.Contains(body[at:], n.text)
		}
	}
	return false
}

// mismatch returns the first place at which the text and what body begins with differ; -1: nowhere.
func (n needle) mismatch(body []byte) int {
	for i, b := range n.text {
		if body[i] != b {
			return i
		}
	}
	return -1
}

// candidate returns the first place in body, which is not shorter than the text, where the text may begin; -1: nowhere.
func (n needle) candidate(body []byte) int {
	passed, found := n.pairs(body)
	if found {
		return passed
	}
	last := len(body) - len(n.text)
	if passed > last {
		return -1
	}
	i := bytes.IndexByte(body[passed+n.rare:last+n.rare+1], n.text[n.rare])
	if i < 0 {
		return -1
	}
	return passed + i
}

// frequency ranks bytes by how common they are in JSON and HTML answers; what is not listed is rare.
var frequency = func() (rank [256]uint8) {
	const common = "\" etaoinsrhldcumfpgwybvk0123456789,:.-_/{}[]<>=xjqz\n"
	for i := range len(common) {
		rank[common[i]] = uint8(250 - 3*i)
	}
	for b := byte('A'); b <= 'Z'; b++ {
		rank[b] = 60
	}
	return rank
}()
