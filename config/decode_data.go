package config

import (
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// dataSources reads the data sources of a scenario. Variables are the scenario's, which a path may name.
func (d *decoder) dataSources(a at, variables []Variable) []DataSource {
	var out []DataSource
	for _, item := range a.mappings() {
		s := DataSource{
			Format: d.word(item.get("format")), Quoted: d.flag(item.get("quoted")), Loop: d.flag(item.get("loop")).Or(!d.file.Settings.Functional),
			RandomOrder: d.flag(item.get("random-order")).Or(false), Encoding: d.word(item.get("encoding")), Pos: item.Pos,
		}
		s.Delimiter = d.delimiter(item.get("delimiter"))
		s.VariableNames = d.columnNames(item.get("variable-names"), s.Delimiter)
		path, rows := item.get("path"), item.get("rows")
		switch {
		case rows.Node != nil && path.Node != nil:
			d.diags.Errorf("conflict", rows.Pos, rows.path, "a data source has either a path or rows").WithHint("make two data sources of it")
		case rows.Node != nil:
			if s.Inline = rows.Node; len(rows.items()) == 0 {
				d.diags.Errorf("invalid-value", rows.Pos, rows.path, "the data source has no rows").WithHint("write rows such as [{id: a1}, {id: a2}]")
			}
		case path.Node == nil:
			d.diags.Errorf("missing-key", item.Pos, item.path, "\"path\" is missing in data source").
				WithHint("name a file with \"path\", or write the rows with \"rows\"")
			continue
		default:
			known := d.pathBefore(path, variables)
			if known.Node == nil {
				continue
			}
			s.Path, s.Resolved = known.Text, d.resolveFile(known, "data source")
			if s.Format == "" {
				s.Format = "csv"
				if extension := strings.ToLower(filepath.Ext(s.Path)); extension == ".jsonl" || extension == ".ndjson" {
					s.Format = "jsonl"
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// delimiter reads one character, or tab by name.
func (d *decoder) delimiter(a at) string {
	switch text := d.word(a); {
	case text == "tab", text == `\t`, text == `'\t'`:
		return "\t"
	case utf8.RuneCountInString(text) > 1:
		d.diags.Errorf("invalid-value", a.Pos, a.path, "delimiter must be one character, got %q", text).WithHint("write a character such as ; or the word tab")
		return ""
	default:
		return text
	}
}

func (d *decoder) columnNames(a at, delimiter string) []string {
	if a.Node == nil {
		return nil
	}
	names := values(d.textList(a))
	if a.scalar() {
		separator := orElse(delimiter, ",")
		if !strings.Contains(a.Text, separator) && strings.Contains(a.Text, ",") {
			separator = ","
		}
		names = strings.Split(a.Text, separator)
	}
	for i := range names {
		if names[i] = strings.TrimSpace(names[i]); names[i] == "" {
			d.diags.Errorf("invalid-value", a.Pos, a.path, "variable name %d is empty", i+1).WithHint("name every column of the file")
		}
	}
	return names
}

// pathBefore writes out the ${…} in the path of rows, which are read before the run: properties, variables of the system and the
// given variables of the scenario, where their values are plain. Taurus leaves such a path to the run; here a missing file is told in
// time. The Node of the result is nil when the path is not known then.
func (d *decoder) pathBefore(a at, variables []Variable) at {
	if !a.scalar() || !isTemplate(a.Text) {
		return a
	}
	good := true
	text := loadReference.ReplaceAllStringFunc(a.Text, func(ref string) string {
		name := strings.TrimSpace(ref[2 : len(ref)-1])
		if value, ok := d.lookup(name); ok {
			return value
		}
		var set *Node
		for _, v := range variables {
			if v.Name == name {
				set = v.Value
			}
		}
		if set != nil && set.Kind == Scalar && !isTemplate(set.Text) {
			return set.Text
		}
		good = false
		e := d.diags.Errorf("unresolved", a.Pos, a.path, "the rows are read before the run, when %s is not known yet", ref)
		e.Length = len([]rune(a.Text))
		if set != nil {
			e.WithHint("give the variable %q a plain value, or write ${__P(NAME,DEFAULT)} here", name).
				WithNote(set.Pos, "its value is made at run time")
		} else {
			e.WithHint("set %q under \"variables\" or \"properties\" of the scenario, or under settings.env, or write ${__P(NAME,DEFAULT)}", name)
		}
		return ref
	})
	if !good {
		return at{nil, a.path}
	}
	return at{&Node{Kind: Scalar, Text: text, Quoted: true, Pos: a.Pos}, a.path}
}
