package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/diag"
)

// TestEveryKeyIsSuggested misspells every key of every block, and wants the block to offer a key
// that is as near as the right one.
func TestEveryKeyIsSuggested(t *testing.T) {
	schema, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	blocks := schema.raw["$defs"].(schemaNode)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		block := blocks[name].(schemaNode)
		properties, _ := block["properties"].(schemaNode)
		if block["additionalProperties"] != false {
			continue
		}
		for key := range properties {
			if len(key) < 4 {
				continue
			}
			typo := key[:len(key)-2] + key[len(key)-1:] + key[len(key)-2:len(key)-1]
			if properties[typo] != nil || typo == key {
				continue
			}
			doc := &Node{Kind: Mapping, Entries: []Entry{{Key: typo, KeyPos: diag.Pos{File: "f", Line: 1, Column: 1}, Value: &Node{Kind: Scalar}}}}
			r := schemaReport{schema: schema, doc: doc}
			var diags diag.List
			r.unknownKeys(&diags, schemaFailure{schema: block}, doc, "x")
			if len(diags) != 1 || !strings.Contains(diags[0].Hint, `did you mean "`) {
				t.Errorf("%s: %q for %q: %v", name, typo, key, diags)
			}
		}
	}
}

// TestCoercion types scalars by what the schema asks for at their place.
func TestCoercion(t *testing.T) {
	for _, tt := range []struct {
		text   string
		quoted bool
		types  []string
		want   any
	}{
		{"yes", false, []string{"boolean"}, true},
		{"yes", true, []string{"boolean"}, true},
		{"yes", true, []string{"boolean", "string"}, "yes"},
		{"off", false, []string{"boolean", "string"}, false},
		{"010", false, []string{"string"}, "010"},
		{"10", true, []string{"integer"}, int64(10)},
		{"1e3", false, []string{"integer"}, int64(1000)},
		{"1.5", false, []string{"integer", "string"}, "1.5"},
		{"abc", false, []string{"integer"}, "abc"},
		{"2020-01-01", false, []string{"string"}, "2020-01-01"},
		{"true", false, nil, true},
	} {
		types := map[string]bool{}
		for _, name := range tt.types {
			types[name] = true
		}
		if got := scalarAs(&Node{Kind: Scalar, Text: tt.text, Quoted: tt.quoted}, types); got != tt.want {
			t.Errorf("%q (quoted %v) as %v: %v (%T), want %v", tt.text, tt.quoted, tt.types, got, got, tt.want)
		}
	}
}

// TestBlockKeysAreInTheSchema holds the table of blocks and the schema together.
func TestBlockKeysAreInTheSchema(t *testing.T) {
	schema, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range blockKeys {
		if schema.at("/$defs/"+key+"-block") == nil {
			t.Errorf("no block %q", key)
		}
	}
	for _, home := range homes {
		if schema.at(home.pointer) == nil {
			t.Errorf("no %q", home.pointer)
		}
	}
	for title, words := range synonyms {
		found := false
		blocks := maps.Clone(schema.raw["$defs"].(schemaNode))
		blocks["the file"] = schema.raw
		for _, block := range blocks {
			block, _ := block.(schemaNode)
			if block["title"] != title {
				continue
			}
			found = true
			properties, _ := block["properties"].(schemaNode)
			for word, key := range words {
				key, _, _ := strings.Cut(key, ":")
				if properties[key] == nil || properties[word] != nil {
					t.Errorf("%s: %q for %q", title, key, word)
				}
			}
		}
		if !found {
			t.Errorf("no block has the title %q", title)
		}
	}
}
