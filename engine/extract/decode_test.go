package extract

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is decoded is what encoding/json makes of it, and what it refuses is refused.
func FuzzDecodeExact(f *testing.F) {
	for _, text := range []string{
		feature, ` [1, -0, 1e400, 0.10, 12345678901234567890] `, `{"a":1,"a":{"b":null},"":[],"c":{}}`, `"\ud800x\u00e9\\"`, "\"a\xffb\"", `{"\u0061":true}`,
		"", "nul", "01", "1 2", `{"a"`, `{"a":}`, "[1,]", "\ufeff{}", "[\x01]", "\"\x01\"", "{\"a\":1}\x00", "tru", "-",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		wrong := decoder.Decode(&want)
		if wrong == nil {
			if _, err := decoder.Token(); err != io.EOF {
				wrong = io.ErrUnexpectedEOF
			}
		}
		got, err := decodeExact(text)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v, encoding/json: %v", text, err, wrong)
		}
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%q (-encoding/json +ours):\n%s", text, diff)
		}
	})
}
