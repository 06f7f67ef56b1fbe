package feed

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decode gives the text of a file as UTF-8. A byte-order mark decides, then the name of the
// encoding, then UTF-8 is assumed.
func decode(r io.Reader, name string) (io.Reader, error) {
	fallback := encoding.Nop.NewDecoder()
	switch strings.ToLower(name) {
	case "", "utf-8", "utf8", "utf-8-sig":
	case "utf-16":
		fallback = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	default:
		named, err := htmlindex.Get(name)
		if err != nil {
			return nil, fmt.Errorf("unknown encoding %q", name)
		}
		fallback = named.NewDecoder()
	}
	return transform.NewReader(r, unicode.BOMOverride(fallback)), nil
}
