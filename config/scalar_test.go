package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConversions(t *testing.T) {
	type row struct {
		Int   any
		Float any
		Bool  any
		Any   any
	}
	for text, want := range map[string]row{
		"12":                    {int64(12), 12.0, nil, int64(12)},
		"-3":                    {int64(-3), -3.0, nil, int64(-3)},
		"+3":                    {int64(3), 3.0, nil, int64(3)},
		"1_000":                 {int64(1000), 1000.0, nil, int64(1000)},
		"1e3":                   {int64(1000), 1000.0, nil, 1000.0},
		"1.5":                   {nil, 1.5, nil, 1.5},
		".5":                    {nil, 0.5, nil, 0.5},
		"2.0":                   {int64(2), 2.0, nil, 2.0},
		"010":                   {int64(8), 8.0, nil, "010"},
		"08":                    {int64(8), 8.0, nil, "08"},
		"00123":                 {int64(83), 83.0, nil, "00123"},
		"0o10":                  {int64(8), 8.0, nil, int64(8)},
		"0x1f":                  {int64(31), 31.0, nil, int64(31)},
		"0":                     {int64(0), 0.0, nil, int64(0)},
		"true":                  {nil, nil, true, true},
		"False":                 {nil, nil, false, false},
		"yes":                   {nil, nil, true, "yes"},
		"OFF":                   {nil, nil, false, "OFF"},
		"1:30":                  {nil, nil, nil, "1:30"},
		"2020-1-1":              {nil, nil, nil, "2020-1-1"},
		".inf":                  {nil, nil, nil, ".inf"},
		"-":                     {nil, nil, nil, "-"},
		"":                      {nil, nil, nil, ""},
		"1e400":                 {nil, nil, nil, "1e400"},
		"--1":                   {nil, nil, nil, "--1"},
		"1_":                    {nil, nil, nil, "1_"},
		"0x":                    {nil, nil, nil, "0x"},
		"123456789012345678901": {nil, 123456789012345678901.0, nil, 123456789012345678901.0},
	} {
		n := &Node{Kind: Scalar, Text: text}
		var got row
		if v, ok := n.Int(); ok {
			got.Int = v
		}
		if v, ok := n.Float(); ok {
			got.Float = v
		}
		if v, ok := n.Bool(); ok {
			got.Bool = v
		}
		got.Any = n.Any()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if quoted := (&Node{Kind: Scalar, Text: text, Quoted: true}).Any(); quoted != text {
			t.Errorf("%q quoted gives %v", text, quoted)
		}
	}
}

func TestAnyAndString(t *testing.T) {
	doc := parseOne(t, "f", "a: [1, x, null, {b: 2.5}]\nc: '1'\n")
	want := map[string]any{"a": []any{int64(1), "x", nil, map[string]any{"b": 2.5}}, "c": "1"}
	if diff := cmp.Diff(want, doc.Any()); diff != "" {
		t.Error(diff)
	}
	if got := doc.String(); got != `{"a":[1,"x",null,{"b":2.5}],"c":"1"}` {
		t.Error(got)
	}
	var none *Node
	if none.String() != "" || none.Any() != nil || none.Get("x") != nil || none.At("x", "y") != nil || none.Clone() != nil {
		t.Error("the missing node is not empty")
	}
}
