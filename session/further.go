package session

import (
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
	inScenarios := slices.ContainsFunc(earlier, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && (strings.HasPrefix(d.Path, "scenarios") || strings.HasPrefix(d.Path, "execution") || d.Path == "")
	})
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		if ofDefinitions(d.Code) && inScenarios {
			return true
		}
		return !ofDefinitions(d.Code) && !ofText(d.Code) ||
			slices.ContainsFunc(earlier, func(e diag.Diagnostic) bool { return e.Pos.File == d.Pos.File && e.Pos.Line == d.Pos.Line })
	})
}

// ofDefinitions tells mistakes in a reference to something that is defined elsewhere in the file.
func ofDefinitions(code string) bool {
	return slices.Contains([]string{"unknown-variable", "unknown-label", "unknown-scenario", "unknown-execution"}, code)
}

// ofText tells mistakes inside one text, whatever stands around it.
func ofText(code string) bool {
	return slices.Contains([]string{
		"bad-arguments", "bad-condition", "bad-css", "bad-expression", "bad-jsonpath", "bad-regexp", "bad-template", "bad-url",
		"bad-xpath", "unknown-function", "unsupported-function", "unknown-code",
	}, code)
}
