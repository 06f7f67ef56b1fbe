package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/internal/weigh"
)

// chain makes steps: strings are names, whole numbers are indexes.
func chain(parts ...any) (steps []scanStep) {
	for _, part := range parts {
		if n, ok := part.(int); ok {
			steps = append(steps, scanStep{index: n})
		} else {
			steps = append(steps, scanStep{name: part.(string), index: -1})
		}
	}
	return steps
}

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		steps      []scanStep
		want       string // "" is nothing
	}{
		{"whole", ` [1] `, nil, "[1]"},
		{"name", `{"a":1,"b":2}`, chain("b"), "2"},
		{"name of nothing", `{"":1}`, chain(""), "1"},
		{"name of digits", `{"1":2}`, chain("1"), "2"},
		{"names that begin alike", `{"aa":1,"a":2}`, chain("a"), "2"},
		{"escaped name", `{"\u0061\"":1}`, chain(`a"`), "1"},
		{"name with a backslash at its end", `{"a\\":1,"b":2}`, chain("b"), "2"},
		{"first of two", `{"a":1,"a":2}`, chain("a"), "1"},
		{"first that holds the next name", `{"a":1,"a":{"c":2},"a":{"b":3}}`, chain("a", "b"), "3"},
		{"first, whatever it holds, before an index", `{"a":1,"a":[3]}`, chain("a", 0), ""},
		{"index", `[1,[2,3]]`, chain(1, 1), "3"},
		{"index past the end", `[1]`, chain(1), ""},
		{"index in an empty list", `[ ]`, chain(0), ""},
		{"name in an empty object", `{ }`, chain("a"), ""},
		{"name in a list", `["a",1]`, chain("a"), ""},
		{"index in an object", `{"0":1}`, chain(0), ""},
		{"white space", " {\n\t\"a\" : [ 1 ,\r\n 2 ] } ", chain("a", 1), "2"},
		{"brackets in strings", `{"a":{"]}":"{[\"}"},"b":"]"}`, chain("b"), `"]"`},
		{"backslashes before a quote", `{"a":"1234567\\","b":"12345678\\\"","c":1}`, chain("c"), "1"},
		{"long string with quotes", `{"a":"` + strings.Repeat(`\"x`, 100) + `","c":1}`, chain("c"), "1"},
		{"deep", `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `,"b":1}`, chain("b"), "1"},
		{"nothing", ``, chain("a"), ""},
		{"cut after it", `{"a":1,"b":`, chain("a"), "1"},
		{"cut before it", `{"a":1,"b"`, chain("b"), ""},
		{"cut in a name", `{"a`, chain("a"), ""},
		{"cut in a string", `{"a":"x`, chain("a"), ""},
		{"cut in a list", `{"a":[1,`, chain("a", 1), ""},
		{"no colon", `{"a" 1}`, chain("a"), ""},
		{"no comma", `{"a":1 "b":2}`, chain("b"), ""},
		{"no value", `{"a":,"b":2}`, chain("b"), ""},
		{"wrong end", `{"a":1],"b":2}`, chain("b"), ""},
	} {
		for _, known := range []*members{nil, {}} {
			got, _ := scanFor([]byte(tt.text), tt.steps, known)
			again, _ := scanFor([]byte(tt.text), tt.steps, known)
			if string(got) != tt.want || string(again) != tt.want {
				t.Errorf("%s: %q, then %q, want %q", tt.name, got, again, tt.want)
			}
		}
	}
}

// What an earlier scan has learnt about the members of a body does not change what a later one finds.
func TestScanKnownMembers(t *testing.T) {
	var b strings.Builder
	for i := range 40 { // more than are kept
		fmt.Fprintf(&b, `,"m%d":{"x":[%d,"}"]}`, i%37, i)
	}
	text := []byte("{" + b.String()[1:] + "}")
	var known members
	for i := range 4 * 40 {
		n := i * 17 % 40
		want, found := scanFor(text, chain("m"+strconv.Itoa(n), "x", 0), nil)
		got, ok := scanFor(text, chain("m"+strconv.Itoa(n), "x", 0), &known)
		if string(got) != string(want) || ok != found || found != (n < 37) {
			t.Fatalf("m%d: %q, want %q", n, got, want)
		}
	}
	if known.n != len(known.list) {
		t.Errorf("%d members are known", known.n)
	}
}

// The scan agrees with gjson on all JSON, and with encoding/json where names are not repeated.
func FuzzScan(f *testing.F) {
	for _, text := range []string{feature, item()[:700], `{"a":{"b":1},"a":{"c":[{"d":"\ud83d\ude00\\"}]}}`, `[[],{},"",-1.5e3,true,null]`, `{"\u0061.b*":1,"a.b*":2}`, "{\"a\xff\":1}"} {
		for _, path := range []string{"features/1/id", "a/c/0/d", "4", "end", "a.b*", "links/1/href"} {
			f.Add(text, path)
		}
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if path == "" || !utf8.ValidString(path) {
			return
		}
		var steps []scanStep
		for _, part := range strings.Split(path, "/") {
			if n, err := strconv.Atoi(part); err == nil && n >= 0 && n < 1000 {
				steps = append(steps, scanStep{index: n})
			} else {
				steps = append(steps, scanStep{name: part, index: -1})
			}
		}
		var known members
		got, ok := scanFor([]byte(text), steps, nil)
		for i := range steps { // learn from shorter chains first
			_, _ = scanFor([]byte(text), steps[:i], &known)
			_, _ = scanFor([]byte(text), append(slices.Clone(steps[:i]), scanStep{name: "none", index: -1}), &known)
		}
		if again, found := scanFor([]byte(text), steps, &known); found != ok || string(again) != string(got) {
			t.Fatalf("%q, then %q", got, again)
		}
		if !json.Valid([]byte(text)) {
			return // but it has neither panicked nor looped
		}
		if strings.ContainsAny(path, "\\") || slices.ContainsFunc(steps, func(s scanStep) bool { return gjsonCannot(s.name) && s.index < 0 }) {
			return
		}
		want, found := byGJSON(text, steps)
		if found != ok || strings.TrimSpace(want) != string(got) {
			t.Fatalf("gjson finds %q (%v), the scan %q (%v)", want, found, got, ok)
		}
		var tree any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&tree); err != nil || repeated(text) || strings.ContainsRune(text, '\\') || !utf8.ValidString(text) {
			return
		}
		node, there := walk(tree, steps)
		if there != ok {
			t.Fatalf("encoding/json finds %v (%v), the scan %q (%v)", node, there, got, ok)
		}
		if ok {
			var a, b bytes.Buffer
			plain, _ := json.Marshal(node)
			var mine any
			md := json.NewDecoder(bytes.NewReader(got))
			md.UseNumber()
			if err := md.Decode(&mine); err != nil {
				t.Fatalf("%q: %v", got, err)
			}
			back, _ := json.Marshal(mine)
			_ = json.Compact(&a, plain)
			_ = json.Compact(&b, back)
			if a.String() != b.String() {
				t.Fatalf("encoding/json finds %s, the scan %s", a.String(), b.String())
			}
		}
	})
}

// gjsonCannot reports names that mean something else to gjson.
func gjsonCannot(name string) bool { return name == "" || strings.Trim(name, "0123456789") == "" }

// byGJSON follows the steps with gjson: runs of names at once.
func byGJSON(text string, steps []scanStep) (string, bool) {
	value := gjson.Parse(text)
	if !value.Exists() {
		return "", false
	}
	value.Raw = text
	for i := 0; i < len(steps); {
		body := strings.TrimLeft(value.Raw, " \t\r\n")
		switch {
		case steps[i].index >= 0 && strings.HasPrefix(body, "["):
			value = gjson.Get(body, strconv.Itoa(steps[i].index))
			i++
		case steps[i].index < 0 && strings.HasPrefix(body, "{"):
			path := ""
			for ; i < len(steps) && steps[i].index < 0; i++ {
				path += "." + gjson.Escape(steps[i].name)
			}
			value = gjson.Get(body, path[1:])
		default:
			return "", false
		}
		if !value.Exists() {
			return "", false
		}
	}
	return value.Raw, true
}

func walk(tree any, steps []scanStep) (any, bool) {
	for _, step := range steps {
		switch v := tree.(type) {
		case map[string]any:
			next, ok := v[step.name]
			if !ok || step.index >= 0 {
				return nil, false
			}
			tree = next
		case []any:
			if step.index < 0 || step.index >= len(v) {
				return nil, false
			}
			tree = v[step.index]
		default:
			return nil, false
		}
	}
	return tree, true
}

// repeated reports whether any object of a JSON text has a name twice.
func repeated(text string) bool {
	var look func(v gjson.Result) bool
	look = func(v gjson.Result) (twice bool) {
		seen := map[string]bool{}
		v.ForEach(func(key, value gjson.Result) bool {
			if v.IsObject() {
				twice = twice || seen[key.Str]
				seen[key.Str] = true
			}
			twice = twice || (value.IsObject() || value.IsArray()) && look(value)
			return !twice
		})
		return twice
	}
	root := gjson.Parse(text)
	return (root.IsObject() || root.IsArray()) && look(root)
}

// Scanning allocates nothing.
func TestScanAllocatesNothing(t *testing.T) {
	text, steps := []byte(item()), chain("links", 1, "href")
	if n := weigh.Allocations(t, 100, func() {
		var known members
		_, _ = scanFor(text, steps, &known)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScan(b *testing.B) {
	text := []byte(item())
	b.SetBytes(int64(len(text)))
	b.Run("scan", func(b *testing.B) {
		steps := chain("end")
		for b.Loop() {
			_, _ = scanFor(text, steps, nil)
		}
	})
	b.Run("scan_known", func(b *testing.B) {
		steps := chain("end")
		var known members
		for b.Loop() {
			_, _ = scanFor(text, steps, &known)
		}
	})
	b.Run("gjson", func(b *testing.B) {
		for b.Loop() {
			_ = gjson.GetBytes(text, "end")
		}
	})
	var numbers strings.Builder
	for i := range 600 {
		fmt.Fprintf(&numbers, ",[%.6f,%.6f]", 4.1+float64(i)/997, 51.2+float64(i)/1009)
	}
	ring := []byte(`{"g":[` + numbers.String()[1:] + `],"end":1}`)
	b.Run("numbers_scan", func(b *testing.B) {
		steps := chain("end")
		for b.Loop() {
			_, _ = scanFor(ring, steps, nil)
		}
	})
	b.Run("numbers_gjson", func(b *testing.B) {
		for b.Loop() {
			_ = gjson.GetBytes(ring, "end")
		}
	})
}
