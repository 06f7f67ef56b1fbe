package template

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/weigh"
)

// Requests are built from these, so they must not allocate.
var allocationFree = []struct{ name, text string }{
	{"literal", "/collections/sentinel-2/items"},
	{"variable", "/collections/${x}/items/${n}?f=${f}"},
	{"random", "/items/${__Random(1,100000)}"},
	{"counter", "${__counter(TRUE)}-${__counter(FALSE)}"},
	{"thread", "${__threadNum}/${__iterationNum}"},
	{"time", "${__time} ${__time(/1000)} ${__time(yyyy-MM-dd'T'HH:mm:ss)}"},
	{"uuid", "${__UUID}"},
	{"string", "${__RandomString(12)} ${__RandomString(5,abc)}"},
	{"property", "${__P(host)}"},
}

func TestAppendDoesNotAllocate(t *testing.T) {
	for _, tt := range allocationFree {
		for _, e := range []Encoding{Raw, JSONText, JSONValue, Query, URL} {
			b := newBench(nil)
			compiled := b.mustText(t, tt.text).Encoded(e)
			c := b.user(nil)
			dst := make([]byte, 0, 1024)
			if n := weigh.Allocations(t, 100, func() { dst, _ = compiled.Append(dst[:0], c) }); n != 0 {
				t.Errorf("%s, encoding %d: %v allocations", tt.name, e, n)
			}
		}
	}
}

func TestJSONBodyDoesNotAllocate(t *testing.T) {
	b := newBench(nil)
	var j JSONBuilder
	j.Object()
	j.Key(Literal("name"))
	j.Text(b.mustText(t, `say "${html}" ${n}`))
	j.Key(Literal("id"))
	j.Text(b.mustText(t, "${n}"))
	j.Key(Literal("random"))
	j.Text(b.mustText(t, "${__Random(1,9)}"))
	j.End()
	compiled, c := j.Template(), b.user(nil)
	dst := make([]byte, 0, 1024)
	if n := weigh.Allocations(t, 100, func() { dst, _ = compiled.Append(dst[:0], c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestConditionDoesNotAllocate(t *testing.T) {
	b := newBench(nil)
	k, _ := b.Condition(`"${x}" == "hello" && ${n} > 5 && ${a} < 10`, diag.Pos{}, "")
	c := b.user(nil)
	if n := weigh.Allocations(t, 100, func() { _, _ = k.Eval(c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Ten thousand users hold a Context and a Value for each variable.
func TestSizes(t *testing.T) {
	if size := unsafe.Sizeof(Value{}); size > 24 {
		t.Errorf("a Value has %d bytes", size)
	}
	if size := unsafe.Sizeof(Context{}); size > 128 {
		t.Errorf("a Context has %d bytes", size)
	}
}

func TestReusedMachineForgetsThePreviousProgram(t *testing.T) {
	b := newBench(nil)
	one, two := b.mustText(t, "${x + string(n)}"), b.mustText(t, `${unset ?? "default"}`)
	c := b.user(nil)
	for range 3 {
		if s, err := one.Text(c); err != nil || s != "hello7" {
			t.Fatal(s, err)
		}
		if s, err := two.Text(c); err != nil || s != "default" {
			t.Fatal(s, err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	more := []struct{ name, text string }{
		{"expr_number", "${n * 2 + 1}"},
		{"expr_string", `${x + "-" + string(n)}`},
		{"expr_pick", "${pick(list)}"},
	}
	for _, tt := range append(allocationFree[:len(allocationFree):len(allocationFree)], more...) {
		b.Run(tt.name, func(b *testing.B) {
			bench := newBench(nil)
			compiled := bench.mustText(b, tt.text)
			c := bench.user(nil)
			c.Now = time.Now
			dst := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = compiled.Append(dst[:0], c)
			}
		})
	}
}

func BenchmarkCondition(b *testing.B) {
	for name, text := range map[string]string{"javascript": `"${x}" == "hello" && ${n} > 5`, "expr": `x == "hello" && n > 5`} {
		b.Run(name, func(b *testing.B) {
			bench := newBench(nil)
			k, _ := bench.Condition(text, diag.Pos{}, "")
			c := bench.user(nil)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = k.Eval(c)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, tt := range []struct{ name, text string }{{"slots", "/c/${x}/i/${n}"}, {"function", "${__Random(1,6)}"}, {"expr", "${n * 2 + 1}"}} {
		b.Run(tt.name, func(b *testing.B) {
			bench := newBench(nil)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = bench.Text(tt.text, diag.Pos{}, "")
			}
		})
	}
}
