package session

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// Further returns the mistakes that [Prepare] finds in a file that has errors already, so that all of
// them are told in one go. What may only be a consequence of an earlier one is left out: a variable
// whose extractor was misspelt is not undefined.
func Further(file *config.File, opts Options, earlier diag.List) diag.List {
	if len(file.Executions) == 0 || len(file.Scenarios) == 0 {
		return nil // a part could not be read at all
	}
	_, found := Prepare(file, opts)
	errors := slices.DeleteFunc(slices.Clone(earlier), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	inScenarios := slices.ContainsFunc(errors, func(d diag.Diagnostic) bool {
		return strings.HasPrefix(d.Path, "scenarios") || strings.HasPrefix(d.Path, "execution") || d.Path == ""
	})
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		switch {
		case slices.ContainsFunc(earlier, func(e diag.Diagnostic) bool { return e.Pos.File == d.Pos.File && e.Pos.Line == d.Pos.Line }):
			return true
		case d.Code == "unknown-variable":
			name := quotedName.FindString(d.Message)
			return slices.ContainsFunc(errors, func(e diag.Diagnostic) bool { return mayDefine(file.Merged, &e, strings.Trim(name, `"`)) })
		case ofDefinitions(d.Code):
			return inScenarios
		}
		return !ofText(d.Code)
	})
}

// quotedName is what a message is about.
var quotedName = regexp.MustCompile(`"[^"]*"`)

// mayDefine reports whether what an error is about, or the step around it, may have given a variable its value if it were right: the
// name stands in it, or it is something whose names do not stand in the file.
func mayDefine(document *config.Node, e *diag.Diagnostic, name string) bool {
	parts := strings.Split(e.Path, ".")
	switch {
	case e.Path == "":
		return true // a part of the file is missing
	case !slices.Contains([]string{"scenarios", "execution", "settings", "modules"}, parts[0]):
		return false
	case slices.Contains(parts, "data-sources"), slices.Contains(parts, "include-scenario"), e.Code == "unknown-scenario":
		return true // columns of a file, variables of another scenario
	}
	around := document
	for _, part := range parts[:min(len(parts), 4)] { // scenarios.NAME.requests.N is a step of a scenario, whatever stands in it
		next := around.At(part)
		if next == nil {
			break // a short form, or a name with a dot: look in more than is needed
		}
		around = next
	}
	return names(around, name)
}

// names reports whether a name stands below n, other than where its value is asked for.
func names(n *config.Node, name string) bool {
	if n == nil {
		return false
	}
	holds := func(text string) bool {
		text = strings.ReplaceAll(text, "${"+name+"}", "")
		return slices.Contains(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n,;:=()[]{}$'\"|", c) }), name)
	}
	return holds(n.Text) ||
		slices.ContainsFunc(n.Entries, func(e config.Entry) bool { return holds(e.Key) || names(e.Value, name) }) ||
		slices.ContainsFunc(n.Items, func(item *config.Node) bool { return names(item, name) })
}

// ofDefinitions tells mistakes in a reference to something that is defined elsewhere in the file.
func ofDefinitions(code string) bool {
	return slices.Contains([]string{"unknown-label", "unknown-scenario", "unknown-execution"}, code)
}

// ofText tells mistakes inside one text, whatever stands around it.
func ofText(code string) bool {
	return slices.Contains([]string{
		"bad-arguments", "bad-condition", "bad-css", "bad-expression", "bad-jsonpath", "bad-regexp", "bad-template", "bad-url",
		"bad-xpath", "unknown-function", "unsupported-function", "unknown-code",
	}, code)
}
