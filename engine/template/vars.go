package template

import (
	"strconv"
	"strings"
)

// Vars are one user's variables. They belong to the goroutine of that user.
type Vars struct {
	names    *Names
	values   []Value
	counters []uint32 // of __counter(TRUE), by place; made on first use
}

// NewVars returns variables that are all unset. The table must be complete by then.
func NewVars(names *Names) *Vars {
	return &Vars{names: names, values: make([]Value, len(names.names))}
}

// Set gives a variable a value.
func (v *Vars) Set(slot Slot, value Value) { v.values[slot] = value }

// Get returns the value of a variable; it may be unset.
func (v *Vars) Get(slot Slot) Value { return v.values[slot] }

// CopyFrom takes over all values that from has set, such as those that `prepare` produced.
// Both must have been made from the same table.
func (v *Vars) CopyFrom(from *Vars) {
	for i, value := range from.values {
		if value.IsSet() {
			v.values[i] = value
		}
	}
}

// Lookup finds a variable, or a run-time name of an extractor, by its name.
func (v *Vars) Lookup(name string) (Value, bool) {
	ref, ok := v.names.resolve(name)
	if !ok {
		return Value{}, false
	}
	return v.at(ref), true
}

// SetNamed gives a declared variable a value; for names that only exist at run time. It reports
// false, and stores nothing, for a name that nothing in the plan can read.
func (v *Vars) SetNamed(name string, value Value) bool {
	slot, ok := v.names.slots[name]
	if ok {
		v.values[slot] = value
	}
	return ok
}

// Matches are all that an extractor found. They are immutable once they were set.
type Matches struct {
	Values []string   // every match in document order; nil when they were not kept
	JSON   []bool     // of each value: it is the text of a JSON value, see [FromJSON]; nil or shorter: false
	Count  int        // number of matches; name_matchNr
	Groups []string   // groups of the chosen match, the whole match first
	Each   [][]string // groups of every match, like Groups; nil when they were not kept
}

// value is the i-th match, from 0.
func (m *Matches) value(i int) Value {
	if i < len(m.JSON) && m.JSON[i] {
		return FromJSON(m.Values[i])
	}
	return String(m.Values[i])
}

// SetMatches replaces the run-time names of a family; nil removes them.
func (v *Vars) SetMatches(f Family, m *Matches) {
	if m == nil {
		v.values[v.names.hidden[f]] = Value{}
		return
	}
	v.values[v.names.hidden[f]] = Value{ref: m}
}

// Element returns the i-th element (from 1) of a list that foreach walks over: an extractor's
// matches, else a variable that holds a list, else variables that are called name_1, name_2 …
func (v *Vars) Element(f Family, i int) (Value, bool) {
	if m, ok := v.values[v.names.hidden[f]].ref.(*Matches); ok {
		if i > len(m.Values) {
			return Value{}, false
		}
		return m.value(i - 1), true
	}
	base := v.names.base[f]
	if slot, ok := v.names.slots[base]; ok {
		if list, ok := v.values[slot].ref.([]any); ok {
			if i > len(list) {
				return Value{}, false
			}
			return Of(list[i-1]), true
		}
	}
	var buf [64]byte
	name := append(append(buf[:0], base...), '_')
	name = strconv.AppendInt(name, int64(i), 10)
	if slot, ok := v.names.slots[string(name)]; ok && v.values[slot].IsSet() {
		return v.values[slot], true
	}
	return Value{}, false
}

// at reads a resolved name.
func (v *Vars) at(ref reference) Value {
	if ref.member.kind == notMember {
		return v.values[ref.slot]
	}
	m, ok := v.values[ref.slot].ref.(*Matches)
	if !ok {
		return v.listMember(ref)
	}
	switch ref.member.kind {
	case matchCount:
		return Int(int64(m.Count))
	case oneMatch:
		if i := ref.member.index; i <= len(m.Values) {
			return m.value(i - 1)
		}
	case allMatches:
		return String(strings.Join(m.Values, ","))
	case groupCount:
		return Int(int64(len(m.Groups) - 1))
	case oneGroup:
		return groupOf(m.Groups, ref.member.group)
	case matchGroups, matchGroup:
		if ref.member.index > len(m.Each) {
			return Value{}
		}
		groups := m.Each[ref.member.index-1]
		if ref.member.kind == matchGroups {
			return Int(int64(len(groups) - 1))
		}
		return groupOf(groups, ref.member.group)
	}
	return Value{}
}

// listMember answers name_3 and name_matchNr for a variable that holds a list.
func (v *Vars) listMember(ref reference) Value {
	slot, ok := v.names.slots[v.names.base[ref.family]]
	if !ok {
		return Value{}
	}
	list, ok := v.values[slot].ref.([]any)
	switch {
	case !ok:
	case ref.member.kind == matchCount:
		return Int(int64(len(list)))
	case ref.member.kind == oneMatch && ref.member.index <= len(list):
		return Of(list[ref.member.index-1])
	}
	return Value{}
}

func groupOf(groups []string, i int) Value {
	if i < len(groups) {
		return String(groups[i])
	}
	return Value{}
}
