package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// keysCmd is `stacrun keys [PATH]`.
type keysCmd struct {
	formatFlag
	Path string `arg:"" optional:"" help:"Key, such as execution.hold-for or scenarios.requests.assert; a single word is looked for everywhere."`
}

// Help is the long help.
func (keysCmd) Help() string {
	return "Explains a key of scenario files: what it means, what may stand there, its default and the keys below it.\n" +
		"Indexes and names of your own may be left out.\n\n" +
		"  stacrun keys                               the top level\n" +
		"  stacrun keys execution.hold-for\n" +
		"  stacrun keys scenarios.requests.assert\n" +
		"  stacrun keys reporting.junit-xml\n" +
		"  stacrun keys timeout                       wherever it stands\n" +
		"  stacrun keys execution --format json"
}

// Run runs the verb.
func (c *keysCmd) Run(a *app) error {
	found, hint := config.ExplainKey(c.Path)
	if len(found) == 0 {
		return fmt.Errorf("unknown key %q\n  hint: %s", c.Path, hint)
	}
	if c.Format == "json" {
		return a.print(func(w io.Writer) error { return writeJSON(w, found) })
	}
	return a.print(func(w io.Writer) error {
		for i, key := range found {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if _, err := io.WriteString(w, keyText(key)); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyText lays one key out for people.
func keyText(key config.Key) string {
	var b strings.Builder
	if key.Path != "" {
		fmt.Fprintln(&b, key.Path)
	}
	fmt.Fprintf(&b, "  %s.\n", key.Description)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name+":", text)
		}
	}
	line("value", key.Value)
	line("one of", strings.Join(key.Choices, ", "))
	line("default", key.Default)
	if key.Required {
		line("required", "yes")
	}
	if key.NoEffect {
		line("note", "a key of Taurus without effect here"+ifText("; ", key.Instead))
	}
	if len(key.Keys) == 0 {
		return b.String()
	}
	width := 0
	for _, below := range key.Keys {
		width = max(width, len(lastKey(below.Path)))
	}
	b.WriteByte('\n')
	for _, below := range key.Keys {
		text := below.Description
		switch {
		case below.NoEffect:
			text += " (no effect here)"
		case below.Required:
			text += " (required)"
		case below.Default != "":
			text += " (" + below.Default + ")"
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", width, lastKey(below.Path), text)
	}
	return b.String()
}

func lastKey(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// ifText joins two texts when the second one is there.
func ifText(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
