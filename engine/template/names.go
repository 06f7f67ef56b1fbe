package template

import (
	"slices"
	"strconv"
	"strings"
)

// Slot is the place of a variable in [Vars].
type Slot int32

// Family is the place of the run-time names that an extractor or a list makes out of one name:
// name_1, name_2 …, name_matchNr, name_ALL, name_g, name_g0 …
type Family int32

// Names is the table of variables while a plan is compiled. All names of a scenario must be
// declared before its texts are compiled, since "${a-b}" is the variable a-b if there is one and a
// subtraction if not. A Names is not safe for concurrent use; after compilation it is only read.
type Names struct {
	slots    map[string]Slot
	names    []string // by slot; "" for the hidden slot of a family
	families map[string]Family
	hidden   []Slot // by family: where its Matches are kept
	base     []string
	used     []bool // by family: some text or foreach reads its members
	dynamic  bool   // some text reads variables by a name that is made at run time
	counters int
}

// NewNames returns an empty table.
func NewNames() *Names {
	return &Names{slots: map[string]Slot{}, families: map[string]Family{}}
}

// Declare gives the slot of a name, a new one if the name is new.
func (n *Names) Declare(name string) Slot {
	if slot, ok := n.slots[name]; ok {
		return slot
	}
	slot := n.add(name)
	n.slots[name] = slot
	return slot
}

func (n *Names) add(name string) Slot {
	n.names = append(n.names, name)
	return Slot(len(n.names) - 1)
}

// DeclarePrefix says that run-time names may be made out of name: it is the variable of an
// extractor, or the list of a foreach. The plain name is not declared by this.
func (n *Names) DeclarePrefix(name string) Family {
	if f, ok := n.families[name]; ok {
		return f
	}
	f := Family(len(n.hidden))
	n.families[name] = f
	n.hidden = append(n.hidden, n.add(""))
	n.base = append(n.base, name)
	n.used = append(n.used, false)
	return f
}

// Lookup gives the slot of a declared name.
func (n *Names) Lookup(name string) (Slot, bool) {
	slot, ok := n.slots[name]
	return slot, ok
}

// Use notes that the members of a family are read, so that extractors keep all matches.
func (n *Names) Use(f Family) { n.used[f] = true }

// Used reports whether anything that was compiled so far reads run-time names of the family.
func (n *Names) Used(f Family) bool { return n.used[f] || n.dynamic }

// All returns the declared names, sorted; for suggestions and for debugging output.
func (n *Names) All() []string {
	all := make([]string, 0, len(n.slots))
	for name := range n.slots {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// reference is a resolved name: a slot, or a member of a family.
type reference struct {
	slot   Slot
	family Family
	member member
}

// member is one of the run-time names of a family.
type member struct {
	kind  memberKind
	index int // of the match, from 1
	group int // of the group, from 0
}

type memberKind uint8

const (
	notMember   memberKind = iota
	oneMatch               // name_3
	matchCount             // name_matchNr
	allMatches             // name_ALL
	groupCount             // name_g
	oneGroup               // name_g1
	matchGroups            // name_3_g
	matchGroup             // name_3_g1
)

// resolve finds a declared name or a run-time name of a declared prefix.
func (n *Names) resolve(name string) (reference, bool) {
	if slot, ok := n.slots[name]; ok {
		return reference{slot: slot}, true
	}
	for end := len(name) - 1; end > 0; end-- {
		if name[end] != '_' {
			continue
		}
		if f, ok := n.families[name[:end]]; ok {
			if m := parseMember(name[end+1:]); m.kind != notMember {
				return reference{slot: n.hidden[f], family: f, member: m}, true
			}
		}
	}
	return reference{}, false
}

// parseMember reads what stands behind "name_" in a run-time name.
func parseMember(s string) member {
	switch s {
	case "matchNr":
		return member{kind: matchCount}
	case "ALL":
		return member{kind: allMatches}
	case "g":
		return member{kind: groupCount}
	}
	if rest, ok := strings.CutPrefix(s, "g"); ok {
		if group, ok := parseOrdinal(rest); ok {
			return member{kind: oneGroup, group: group}
		}
		return member{}
	}
	number, rest, grouped := strings.Cut(s, "_g")
	index, ok := parseOrdinal(number)
	switch {
	case !ok || index == 0:
		return member{}
	case !grouped:
		return member{kind: oneMatch, index: index}
	case rest == "":
		return member{kind: matchGroups, index: index}
	}
	if group, ok := parseOrdinal(rest); ok {
		return member{kind: matchGroup, index: index, group: group}
	}
	return member{}
}

// parseOrdinal reads a number as names hold it: digits only, no leading zero, at most 9 of them.
func parseOrdinal(s string) (int, bool) {
	if s == "" || len(s) > 9 || (len(s) > 1 && s[0] == '0') {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
