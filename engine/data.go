package engine

import (
	"slices"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/feed"
	"github.com/stacrun/stacrun/engine/template"
)

// source is an open data source with the variables of its columns.
type source struct {
	*feed.Source
	written *config.DataSource
	name    string // as people know it
	columns []string
	slots   []template.Slot
}

// source opens a data source, once per execution even when several scenarios name it.
func (c *compiler) source(in *config.DataSource) *source {
	for _, s := range c.x.sources {
		if s.written == in {
			return s
		}
	}
	name := in.Path
	if name == "" {
		name = "inline rows"
	}
	spec := feed.Spec{
		Path: in.Resolved, Name: in.Path, Format: in.Format, Delimiter: in.Delimiter, VariableNames: in.VariableNames,
		Loop: in.Loop, RandomOrder: in.RandomOrder, Encoding: in.Encoding, Pos: in.Pos,
		OpenFile: c.opts.OpenFile,
		Seed:     mix(c.plan.seed ^ mix(uint64(c.x.index)<<32+uint64(len(c.x.sources))+streamShuffle)),
	}
	if in.Quoted.Set {
		spec.Quoted = &in.Quoted.V
	}
	if in.Inline != nil {
		for _, row := range in.Inline.Items {
			var fields feed.InlineRow
			for i := range row.Entries {
				e := &row.Entries[i]
				fields = append(fields, inlineField(e))
			}
			spec.Inline = append(spec.Inline, fields)
		}
	}
	opened, list := feed.Open(spec)
	c.list.Add(list...)
	s := &source{Source: opened, written: in, name: name, columns: opened.Columns()}
	if list.HasErrors() {
		s.columns = nil
	}
	for _, column := range s.columns {
		s.slots = append(s.slots, c.names.Declare(column))
	}
	c.x.sources = append(c.x.sources, s)
	return s
}

// inlineField keeps what a value of the document is: texts, and numbers that are no JSON such as 007, stay texts.
func inlineField(e *config.Entry) feed.InlineField {
	f := feed.InlineField{Column: e.Key, JSON: true}
	switch v := e.Value; {
	case v == nil || v.Kind == config.Null:
		f.Value = "" // null in a JSON body
	case v.Kind == config.Scalar && v.Plain() == config.PlainText:
		f.Value, f.JSON = v.Text, false
	default:
		f.Value = v.JSON()
	}
	return f
}

func (c *compiler) closeSources() {
	for _, x := range slices.Concat(c.plan.executions, []*execution{c.x}) {
		if x == nil {
			continue
		}
		for _, s := range x.sources {
			_ = s.Close() // nothing was written
		}
	}
}

// set puts the fields of a row into a user's variables. A missing field leaves its variable unset.
func (s *source) set(row feed.Row, vars *template.Vars) {
	for i, slot := range s.slots {
		text, ok := row.Field(i)
		switch {
		case !ok:
			vars.Set(slot, template.Value{})
		case row.JSON(i):
			vars.Set(slot, template.FromJSON(text))
		default:
			vars.Set(slot, template.String(text))
		}
	}
}
