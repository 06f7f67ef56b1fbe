package wire

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/internal/weigh"
)

func TestHeaders(t *testing.T) {
	head := []byte("HTTP/1.1 302 Found\r\nLocation:  /a b?x=%C3%A9 \r\nnonsense\r\nX-Fold: a\r\n b\r\nSET-COOKIE: a=1\r\nSet-Cookie:b=2\r\nEmpty:\r\n\r\nBody: no\r\n")
	var got []string
	for n, v := range Headers(head) {
		got = append(got, fmt.Sprintf("%s=%s", n, v))
	}
	want := []string{"Location=/a b?x=%C3%A9", "X-Fold=a", "SET-COOKIE=a=1", "Set-Cookie=b=2", "Empty="}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got = nil
	for v := range HeaderValues(head, "set-cookie") {
		got = append(got, string(v))
	}
	if d := cmp.Diff([]string{"a=1", "b=2"}, got); d != "" {
		t.Error(d)
	}
	if v, ok := HeaderValue(head, "LOCATION"); !ok || string(v) != "/a b?x=%C3%A9" {
		t.Errorf("%q %v", v, ok)
	}
	if _, ok := HeaderValue(head, "body"); ok {
		t.Error("found a field behind the head")
	}
	t.Run("no allocation", func(t *testing.T) {
		if n := weigh.Allocations(t, 100, func() { HeaderValue(head, "empty") }); n != 0 {
			t.Errorf("%v allocations per look-up, want 0", n)
		}
	})
}
