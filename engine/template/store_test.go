package template

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func textOf(t *testing.T, v Value) string {
	t.Helper()
	text, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStoreIsUndoneByRestore sends variables of every kind from one process to another.
func TestStoreIsUndoneByRestore(t *testing.T) {
	names := NewNames()
	values := map[string]Value{
		"text": String("a\xffb"), "empty": String(""), "number": Int(-5), "float": Float(0.1), "written": Spelled(Float(1.1), "1.10"), "yes": Bool(true), "no": Bool(false), "null": Null(),
		"json": FromJSON(`{"a":1}`), "list": Of([]any{"x", 1, 2.5, nil, map[string]any{"k": []any{true}}}), "big": Of(json.Number("123456789012345678901")),
	}
	for name := range values {
		names.Declare(name)
	}
	unset := names.Declare("unset")
	family := names.DeclarePrefix("ids")
	names.Use(family)
	vars := NewVars(names)
	for name, value := range values {
		vars.SetNamed(name, value)
	}
	vars.SetMatches(family, &Matches{Values: []string{"1", "a"}, JSON: []bool{true}, Count: 2, Groups: []string{"g"}})
	text, err := vars.Store()
	if err != nil {
		t.Fatal(err)
	}
	got := NewVars(names)
	if err := got.Restore(text); err != nil {
		t.Fatal(err)
	}
	for name, want := range values {
		value, _ := got.Lookup(name)
		if diff := cmp.Diff(want.Any(), value.Any()); diff != "" || value.Kind() != want.Kind() {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if want, got := textOf(t, want), textOf(t, value); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if _, json := value.ref.(jsonStart); json != (name == "json") {
			t.Errorf("%s is JSON: %v", name, json)
		}
	}
	if got.Get(unset).IsSet() {
		t.Error("a variable that was unset is set")
	}
	if v, _ := got.Lookup("ids_2"); v.Any() != "a" {
		t.Errorf("ids_2 is %v", v.Any())
	}
	if err := NewVars(NewNames()).Restore(text); err == nil {
		t.Error("variables of another plan were taken")
	}
	if err := got.Restore([]byte("no")); err == nil {
		t.Error("garbage was taken")
	}
}
