package extract

import (
	"strings"
	"testing"
)

func TestRewrite(t *testing.T) {
	tests := []struct {
		name, path, want string
		length           bool
	}{
		{"plain", "$.a.b[0]", "$.a.b[0]", false},
		{"root alone", "$", "$", false},
		{"root with a dot", "$.", "$", false},
		{"dot before a bracket", "$.[0].id", "$[0].id", false},
		{"no root", "features.id", "$.features.id", false},
		{"no root, bracket", "[0].id", "$[0].id", false},
		{"from the end", "$.features[(@.length-1)].id", "$.features[-1].id", false},
		{"from the end, called", "$.features[(@.length() - 2)]", "$.features[-2]", false},
		{"length", "$.features.length()", "$.features", true},
		{"name with a colon", "$.properties.eo:cloud_cover", "$.properties['eo:cloud_cover']", false},
		{"name with a hyphen", "$.a-b.c", "$['a-b'].c", false},
		{"name with a digit first", "$.2x", "$['2x']", false},
		{"descendant", "$..id", "$..id", false},
		{"descendant with a hyphen", "$..a-b", "$..['a-b']", false},
		{"wildcards", "$.*.a[*]..*", "$.*.a[*]..*", false},
		{"filter", "$.links[?(@.rel=='next')].href", "$.links[?(@.rel=='next')].href", false},
		{"filter with a fraction", "$.a[?(@.x>1.5 && @.y < 0.5)]", "$.a[?(@.x>1.5 && @.y < 0.5)]", false},
		{"filter with a hyphenated name", "$.a[?(@.b-c == 1)]", "$.a[?(@['b-c'] == 1)]", false},
		{"filter by pattern", "$.a[?(@.b =~ /x.*/i)]", "$.a[?(match(@.b, '(?i)x.*'))]", false},
		{"dots inside strings", "$['a.b-c'][?(@.d == 'e.f-g')]", "$['a.b-c'][?(@.d == 'e.f-g')]", false},
		{"slices", "$.a[1:3][::2]", "$.a[1:3][::2]", false},
		{"white space", " $.a ", "$.a", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, length, err := Rewrite(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || length != tt.length {
				t.Errorf("got %s %v, want %s %v", got, length, tt.want, tt.length)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	tests := []struct{ name, path, body, want string }{
		{"pattern with a flag", "$[?(@.b =~ /x.*/i)].n", `[{"b":"Xy","n":1},{"b":"ay","n":2}]`, "1"},
		{"function of the standard", "$[?length(@.t) > 1].n", `[{"t":[1],"n":1},{"t":[1,2],"n":2}]`, "2"},
		{"members in a fixed order", "$.*", `{"b":2,"a":1}`, "1"},
		{"from the end", "$[-1]", `[1,2,3]`, "3"},
		{"compare numbers", "$[?@.n >= 2.0].n", `[{"n":1},{"n":2}]`, "2"},
		{"white space around", "$.a[1]", " {\"a\": [1, \n 2 ] } ", "2"},
		{"boolean", "$.a", `{"a":true}`, "true"},
		{"small part of a large body", "$.l[?@.r=='n'].h", `{"x":"` + strings.Repeat("x", 500) + `","l":[{"r":"s","h":1},{"r":"n","h":2}]}`, "2"},
		{"filter that looks at the root", "$.l[?@.r==$.want].h", `{"x":"` + strings.Repeat("x", 500) + `","want":"n","l":[{"r":"s","h":1},{"r":"n","h":2}]}`, "2"},
		{"part that does not exist", "$.m[*]", `{"l":[1]}`, "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, err := CompileJSONPath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			got := "nothing"
			if err := q.Each(&Response{Body: []byte(tt.body)}, func(m JSONMatch) bool { got = m.Text; return false }); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzJSONPathRewrite(f *testing.F) {
	for _, seed := range []string{"$.a", "$.[0]", "a[(@.length-1)]", "$.a[?(@.b =~ /x/i)]", "$..['a']", "$.a.length()", "[(", "$[?(", "$.a[?@.b-c<1.5e-3]"} {
		f.Add(seed)
	}
	body := &Response{Body: []byte(feature)}
	f.Fuzz(func(t *testing.T, path string) {
		q, err := CompileJSONPath(path)
		if err != nil {
			return
		}
		_ = q.Each(body, func(JSONMatch) bool { return true })
		// What was rewritten once stays as it is.
		once, length, _ := Rewrite(path)
		if twice, _, err := Rewrite(once); !length && (err != nil || twice != once) {
			t.Errorf("%q becomes %q, then %q (%v)", path, once, twice, err)
		}
	})
}
