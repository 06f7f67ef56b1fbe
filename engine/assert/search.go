package assert

import "bytes"

// needle is a text to look for. Searching begins at its rarest byte: JSON is full of quotes, so
// that looking for the first byte of `"id"` stops at every string.
type needle struct {
	text []byte
	at   int // of the rarest byte
}

func newNeedle(text []byte) needle {
	n := needle{text: text}
	for i, b := range text {
		if frequency[b] < frequency[text[n.at]] {
			n.at = i
		}
	}
	return n
}

// in reports whether the text stands in body.
func (n needle) in(body []byte) bool {
	if len(n.text) == 0 {
		return true
	}
	rare, tail := n.text[n.at], len(n.text)-n.at
	tries := 0
	for from := n.at; from+tail <= len(body); {
		i := bytes.IndexByte(body[from:len(body)-tail+1], rare)
		if i < 0 {
			return false
		}
		from += i
		if bytes.Equal(body[from-n.at:from+tail], n.text) {
			return true
		}
		from++
		// Where the byte is not rare at all, the library's search is better.
		if tries++; tries > 16 && tries > from>>4 {
			return bytes.Contains(body[from-n.at:], n.text)
		}
	}
	return false
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
