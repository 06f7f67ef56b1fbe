package assert

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

func TestConstantChecksDoNotAllocate(t *testing.T) {
	for name, spec := range map[string]Spec[int]{
		"substring": {Patterns: texts(`"id":"b"`)},
		"regexp":    {Patterns: texts(`"id":"[ab]"`), Regexp: true},
		"status":    {Patterns: texts("4.."), Regexp: true, Subject: "http-code"},
		"headers":   {Patterns: texts("Content-Type"), Subject: "headers"},
		"none":      {Patterns: texts("error"), Not: true},
	} {
		k, _ := Compile(spec)
		r := response(body)
		if n := weigh.Allocations(t, 100, func() {
			if ok, text := k.Test(r, 0); !ok {
				t.Fatal(text)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkNeedle(b *testing.B) {
	haystack := []byte(strings.Repeat(`{"href":"https://example.org/tiles/a.tif","type":"image/tiff","roles":["data"]},`, 150) + `"rel":"next"`)
	text := []byte(`"rel":"next"`)
	b.Run("rarest_bytes", func(b *testing.B) {
		n := newNeedle(text)
		for b.Loop() {
			n.in(haystack)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			bytes.Contains(haystack, text)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, tt := range []struct {
		name string
		spec Spec[int]
	}{
		{"substring", Spec[int]{Patterns: texts(`"id":"b"`)}},
		{"regexp", Spec[int]{Patterns: texts(`"id":"[b]"`), Regexp: true}},
		{"jsonpath", Spec[int]{Kind: JSONPath, Query: fixed("$.features[1].id"), Expected: fixed("b")}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			k, _ := Compile(tt.spec)
			r := response(body)
			b.ReportAllocs()
			for b.Loop() {
				k.Test(r, 0)
			}
		})
	}
}
