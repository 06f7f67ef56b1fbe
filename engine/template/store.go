package template

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"strconv"
)

// stored is a variable on its way to another process that has compiled the same texts.
type stored struct {
	Slot    int
	Name    string // must be the same there; "" for the matches of an extractor
	Kind    Kind
	JSON    bool   // a string that is the text of a JSON value
	Written string // how a number was written, where that matters
	Text    []byte // of a string or number
	Tree    any    // of a list or mapping
	Matches *Matches
}

// Store gives all values that are set as bytes, for [Vars.Restore] in another process.
func (v *Vars) Store() ([]byte, error) {
	var list []stored
	for slot, value := range v.values {
		s := stored{Slot: slot, Name: v.names.names[slot], Kind: value.Kind()}
		switch ref := value.ref.(type) {
		case nil:
			continue
		case stringStart, jsonStart:
			text, _ := value.Str()
			_, s.JSON = ref.(jsonStart)
			s.Text = []byte(text)
		case Kind:
			s.Text = strconv.AppendUint(nil, value.num, 10)
		case *spelling:
			s.Text, s.Written = strconv.AppendUint(nil, value.num, 10), ref.text
		case *Matches:
			s.Matches = ref
		default:
			s.Tree = ref
		}
		list = append(list, s)
	}
	var b bytes.Buffer
	registerTrees()
	if err := gob.NewEncoder(&b).Encode(list); err != nil {
		return nil, fmt.Errorf("store variables: %w", err)
	}
	return b.Bytes(), nil
}

// Restore sets the values that [Vars.Store] gave; nothing is no value.
func (v *Vars) Restore(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var list []stored
	registerTrees()
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&list); err != nil {
		return fmt.Errorf("restore variables: %w", err)
	}
	for _, s := range list {
		if s.Slot < 0 || s.Slot >= len(v.values) || v.names.names[s.Slot] != s.Name {
			return fmt.Errorf("restore variables: %q is of another plan", s.Name)
		}
		value := Value{ref: s.Tree}
		switch {
		case s.Matches != nil:
			value.ref = s.Matches
		case s.JSON:
			value = FromJSON(string(s.Text))
		case s.Kind == KindString:
			value = String(string(s.Text))
		case s.Kind != KindAny:
			n, err := strconv.ParseUint(string(s.Text), 10, 64)
			if err != nil {
				return fmt.Errorf("restore variable %q: %w", s.Name, err)
			}
			if value = (Value{num: n, ref: s.Kind}); s.Written != "" {
				value = Spelled(value, s.Written)
			}
		}
		v.values[s.Slot] = value
	}
	return nil
}

// registerTrees names the types that lists and mappings are made of. Doing so again changes nothing.
func registerTrees() {
	gob.Register([]any(nil))
	gob.Register(map[string]any(nil))
	gob.Register(json.Number(""))
}
