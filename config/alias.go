package config

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// shippedAlias is an alias that needs no `cli-aliases` entry.
type shippedAlias struct {
	name    string
	text    string // the piece that it merges; "" : none
	warning string // what to say of it; "" : nothing
	hint    string
}

// shippedAliases are those that Taurus ships.
func shippedAliases() []shippedAlias {
	const cloud = "there is no cloud to run in, so the run stays on this machine"
	return []shippedAlias{
		{name: "sequential", text: "modules: {local: {sequential: true}}"},
		{name: "func", text: "settings: {aggregator: functional-consolidator}"},
		{name: "local", text: "provisioning: local"},
		{name: "cloud", warning: cloud},
		{name: "detach", warning: cloud},
		{name: "locations", warning: cloud},
		{name: "report", warning: "nothing is uploaded", hint: "the reports are in the artifacts folder"},
		{name: "public", warning: "nothing is uploaded", hint: "the reports are in the artifacts folder"},
		{name: "gui", warning: "there is no tool with a window to open"},
		{name: "install-tools", warning: "there are no tools to install"},
		{name: "lint", warning: "every run checks its files first", hint: "to check only: stacrun validate FILE"},
		{name: "nolint", warning: "files are always checked"},
	}
}

// aliases merges the pieces that -name arguments stand for, in order.
func (l *loader) aliases() {
	shipped := shippedAliases()
	for _, argument := range l.opts.Aliases {
		name := strings.TrimPrefix(argument, "-")
		own := l.doc.At("cli-aliases", name)
		if own != nil {
			if own.Kind != Mapping {
				l.diags.Errorf("bad-alias", own.Pos, "cli-aliases."+PathPart(name), "alias %q must be a piece of configuration, not a %s", name, own.Kind).
					WithHint("write keys and values as at the top of a file")
				continue
			}
			if e := own.Entry("included-configs"); e != nil {
				l.diags.Warnf("alias-without-effect", e.KeyPos, "cli-aliases."+PathPart(name)+".included-configs",
					"included-configs has no effect in an alias: files are included before").
					WithHint("name the file on the command line, after the others")
			}
			mergeInto(l.doc, own.Clone(), &l.diags)
			continue
		}
		i := slices.IndexFunc(shipped, func(s shippedAlias) bool { return s.name == name })
		if i < 0 {
			l.unknownAlias(name, shipped)
			continue
		}
		if s := shipped[i]; s.warning != "" {
			l.diags.Warnf("alias-without-effect", diag.Pos{}, "", "-%s has no effect: %s", name, s.warning).WithHint("%s", s.hint)
		} else {
			l.mergeText("-"+name, []byte(s.text))
		}
	}
}

func (l *loader) unknownAlias(name string, shipped []shippedAlias) {
	var known []string
	if own := l.doc.Get("cli-aliases"); own != nil {
		for _, e := range own.Entries {
			known = append(known, e.Key)
		}
	}
	for _, s := range shipped {
		known = append(known, s.name)
	}
	hint := "define it under cli-aliases, or write -o path=value"
	if near := diag.Suggest(name, known); near != "" {
		hint = "did you mean -" + near + "?"
	}
	l.diags.Errorf("unknown-alias", diag.Pos{}, "", "unknown alias %q", "-"+name).WithHint("%s", hint)
}
