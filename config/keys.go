package config

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Key explains one key of the language, from the schema.
type Key struct {
	Path        string   `json:"path"` // "" for the whole file
	Description string   `json:"description"`
	Value       string   `json:"value,omitempty"`   // in words: what may stand there
	Choices     []string `json:"choices,omitempty"` // when only these may
	Default     string   `json:"default,omitempty"` // as it would be written
	Required    bool     `json:"required,omitempty"`
	NoEffect    bool     `json:"no_effect,omitempty"` // a key of Taurus that means nothing here
	Instead     string   `json:"instead,omitempty"`   // with NoEffect: what to write
	Keys        []Key    `json:"keys,omitempty"`      // below it, in order of name; one level
}

// ExplainKey finds a key by its dotted path. Indexes of lists may be left out, and names of the
// user's (of scenarios, of variables) too: scenarios.requests.url is the url of a request. The name of
// a module stands for an entry of its list: reporting.junit-xml.filename. A single word that is no
// key of the top level is looked for everywhere.
//
// Several keys are found when a word stands in several blocks; none, with a hint, when there is none.
func ExplainKey(path string) (found []Key, hint string) {
	schema, err := loadSchema()
	if err != nil {
		return nil, err.Error()
	}
	k := keyFinder{schema: schema}
	parts := splitPath(path)
	if key, ok := k.explain(parts); ok {
		return []Key{key}, ""
	}
	if len(parts) == 1 {
		if found := k.everywhere(parts[0]); len(found) > 0 {
			return found, ""
		}
		if near := diag.Suggest(parts[0], k.words()); near != "" {
			return nil, "did you mean \"" + near + "\"?"
		}
		return nil, "without a path, all keys of the top level are listed"
	}
	for i := len(parts) - 1; i > 0; i-- {
		if key, ok := k.explain(parts[:i]); ok {
			var names []string
			for _, below := range key.Keys {
				names = append(names, below.Path[strings.LastIndexByte(below.Path, '.')+1:])
			}
			if near := diag.Suggest(parts[i], names); near != "" {
				return nil, "did you mean \"" + key.Path + "." + near + "\"?"
			}
			return nil, "\"" + key.Path + "\" has no such key"
		}
	}
	return nil, "did you mean " + strconv.Quote(orElse(diag.Suggest(parts[0], propertyNames([]schemaNode{schema.raw})), "execution")) + "?"
}

// splitPath splits at dots; indexes are left out.
func splitPath(path string) []string {
	var parts []string
	for part := range strings.SplitSeq(path, ".") {
		part = strings.Trim(part, `"'`)
		if _, err := strconv.Atoi(part); err != nil && part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// keyFinder walks the schema without a document, so that every branch of a condition applies.
type keyFinder struct{ schema *schemaFile }

// branches lists a schema and all that may apply through it, list items included.
func (k keyFinder) branches(s schemaNode) []schemaNode {
	var out []schemaNode
	seen := map[string]bool{}
	var add func(s schemaNode)
	add = func(s schemaNode) {
		if s == nil {
			return
		}
		out = append(out, s)
		if ref, ok := s["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			add(k.schema.definition(ref))
		}
		for _, key := range []string{"then", "else", "items"} {
			if next, ok := s[key].(schemaNode); ok {
				add(next)
			}
		}
	}
	add(s)
	return out
}

// step goes down by one part of a path. Where names of the user's stand, the part is either one, or
// already a key behind one.
func (k keyFinder) step(s schemaNode, part string) (next schemaNode, named string, ok bool) {
	all := k.branches(s)
	for _, b := range all {
		if ref, _ := b["$ref"].(string); ref == "#/$defs/reporting-entry" || ref == "#/$defs/services-entry" {
			if module := k.schema.definition(strings.TrimSuffix(ref, "entry") + part); module != nil {
				return module, "", true
			}
		}
	}
	var known schemaNode
	for _, b := range all {
		properties, _ := b["properties"].(schemaNode)
		if p, ok := properties[part].(schemaNode); ok && (known == nil || known["x-taurus"] != nil) {
			known = p
		}
	}
	if known != nil {
		return known, "", true
	}
	for _, b := range all {
		others, ok := b["additionalProperties"].(schemaNode)
		if !ok {
			continue
		}
		if next, _, ok := k.step(others, part); ok {
			return next, "NAME", true
		}
		return others, "", true
	}
	return nil, "", false
}

func (k keyFinder) explain(parts []string) (Key, bool) {
	at, required := k.schema.raw, false
	var path []string
	for _, part := range parts {
		next, named, ok := k.step(at, part)
		if !ok {
			return Key{}, false
		}
		required = k.requires(at, part)
		if named != "" {
			path = append(path, named)
		}
		path = append(path, PathPart(part))
		at = next
	}
	key := k.key(at, strings.Join(path, "."))
	key.Required = required
	key.Keys = k.below(at, key.Path)
	return key, true
}

// key describes what stands at a schema.
func (k keyFinder) key(s schemaNode, path string) Key {
	key := Key{Path: path, NoEffect: s["x-taurus"] != nil}
	key.Instead, _ = s["x-hint"].(string)
	if !key.NoEffect {
		key.Instead = ""
	}
	for _, b := range k.chain(s) {
		text, _ := b["description"].(string)
		key.Description = orElse(key.Description, strings.TrimSuffix(text, "."))
		key.Choices = append(key.Choices, texts(b["enum"])...)
		if value, ok := b["default"]; ok && key.Default == "" {
			key.Default = written(value)
		}
		if key.Value == "" {
			key.Value = inWords(b)
		}
	}
	return key
}

// chain is a schema and what it refers to, without branches.
func (k keyFinder) chain(s schemaNode) []schemaNode {
	out := []schemaNode{s}
	for ref, ok := s["$ref"].(string); ok && len(out) < 5; ref, ok = s["$ref"].(string) {
		s = k.schema.definition(ref)
		out = append(out, s)
	}
	return out
}

// below lists the keys below a schema: those with an effect first.
func (k keyFinder) below(s schemaNode, path string) []Key {
	found := map[string]Key{}
	blocks := map[any]bool{} // by title: what may stand here, such as a request or a loop
	for _, b := range k.branches(s) {
		properties, _ := b["properties"].(schemaNode)
		if len(properties) > 0 && b["title"] != nil {
			blocks[b["title"]] = true
		}
		for name, p := range properties {
			p, _ := p.(schemaNode)
			key := k.key(p, strings.TrimPrefix(path+"."+PathPart(name), "."))
			if before, ok := found[name]; !ok || before.NoEffect && !key.NoEffect {
				key.Required = contains(texts(b["required"]), name)
				found[name] = key
			}
		}
	}
	var keys, without []Key
	for _, name := range slices.Sorted(maps.Keys(found)) {
		key := found[name]
		key.Required = key.Required && len(blocks) < 2 // else only in one of them
		if key.NoEffect {
			without = append(without, key)
		} else {
			keys = append(keys, key)
		}
	}
	return append(keys, without...)
}

func (k keyFinder) requires(s schemaNode, name string) bool {
	return slices.ContainsFunc(k.branches(s), func(b schemaNode) bool {
		properties, _ := b["properties"].(schemaNode)
		return properties[name] != nil && contains(texts(b["required"]), name)
	})
}

// blockPaths are the places at which a single word is looked for.
func blockPaths() []string {
	return []string{
		"execution", "execution.stages", "scenarios.NAME", "scenarios.NAME.requests", "scenarios.NAME.tasks", "scenarios.NAME.data-sources",
		"scenarios.NAME.authorization", "scenarios.NAME.cookies", "scenarios.NAME.tls", "scenarios.NAME.timeout", "scenarios.NAME.requests.assert",
		"scenarios.NAME.requests.assert-jsonpath", "scenarios.NAME.requests.assert-xpath", "scenarios.NAME.requests.extract-jsonpath.NAME",
		"scenarios.NAME.requests.extract-regexp.NAME", "scenarios.NAME.requests.extract-boundary.NAME", "scenarios.NAME.requests.upload-files",
		"scenarios.NAME.requests.retry", "settings", "modules", "modules.local", "modules.jmeter", "modules.consolidator", "reporting.passfail.criteria",
		"reporting.final-stats", "reporting.junit-xml", "services.shellexec", "services.shellexec.prepare", "services.stac-api", "services.stac-ingest",
	}
}

func (k keyFinder) everywhere(word string) []Key {
	var found []Key
	for _, path := range blockPaths() {
		block, ok := k.explain(splitPath(path))
		if !ok {
			continue
		}
		for _, key := range block.Keys {
			if strings.HasSuffix(key.Path, "."+word) && !slices.ContainsFunc(found, func(f Key) bool { return f.Path == key.Path }) {
				if full, ok := k.explain(splitPath(key.Path)); ok {
					found = append(found, full)
				}
			}
		}
	}
	return found
}

// words are all keys of the blocks.
func (k keyFinder) words() []string {
	words := propertyNames([]schemaNode{k.schema.raw})
	for _, path := range blockPaths() {
		block, _ := k.explain(splitPath(path))
		for _, key := range block.Keys {
			words = append(words, key.Path[strings.LastIndexByte(key.Path, '.')+1:])
		}
	}
	return words
}

// inWords says what a schema accepts, or "".
func inWords(s schemaNode) string {
	if text, ok := s["x-expects"].(string); ok {
		return text
	}
	if s["enum"] != nil || s["type"] == nil {
		return ""
	}
	return (&schemaReport{}).expects(s)
}

// written is a default as it would stand in a file.
func written(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}
