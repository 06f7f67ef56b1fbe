package template

import (
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// jmeterTable holds all JMeter functions that run natively.
var jmeterTable = func() []*jmeter {
	var all []*jmeter
	for _, group := range [][]jmeter{randomFunctions, timeFunctions, userFunctions, textFunctions, propertyFunctions} {
		for i := range group {
			all = append(all, &group[i])
		}
	}
	return all
}()

func findJMeter(name string) *jmeter {
	for _, fn := range jmeterTable {
		if fn.name == name {
			return fn
		}
	}
	return nil
}

// scriptFunctions run scripts in JMeter. What they hold is read as the JavaScript subset that
// conditions are written in.
var scriptFunctions = []string{"__jexl3", "__jexl2", "__javaScript", "__groovy"}

// insteadOf says what to write instead of a function that does not run natively.
var insteadOf = map[string]string{
	"__BeanShell":              "scripts do not run here: write the value as an expression, such as ${n + 1}",
	"__CSVRead":                "read the file through data-sources",
	"__StringFromFile":         "read the file through data-sources, with variable-names for its one column",
	"__StringToFile":           "files cannot be written during a run; the jtl and csv reporters keep results",
	"__setProperty":            "properties are fixed once the plan is compiled: use set-variables",
	"__isPropDefined":          "properties are fixed once the plan is compiled: give __P a default instead",
	"__regexFunction":          "use extract-regexp",
	"__XPath":                  "use extract-xpath",
	"__log":                    "use stacrun debug to see values",
	"__logn":                   "use stacrun debug to see values",
	"__eval":                   "write the expression itself between ${ and }",
	"__evalVar":                "write the expression itself between ${ and }",
	"__RandomDate":             `use ${randomDatetime("2020-01-01", "2024-01-01")}`,
	"__dateTimeConvert":        "use ${__timeShift(format,date,shift)}",
	"__caseFormat":             "use ${__changeCase(text,UPPER)}",
	"__TestPlanName":           "write the name",
	"__tstFeedback":            "use arrival-rate for a rate of iterations",
	"__machineIP":              "write the address, or take it from ${__env(NAME)}",
	"__RandomFromMultipleVars": "use ${pick([a, b])}",
	"__doubleSum":              "write ${float(a) + float(b)}",
	"__escapeOroRegexpChars":   "regular expressions are RE2 here; escape the text by hand",
}

// unknownFunction reports a function that is not known, with what to write instead.
func (c *Compiler) unknownFunction(list *diag.List, name string, pos diag.Pos, path string) {
	if hint, ok := insteadOf[name]; ok {
		list.Errorf("unsupported-function", pos, path, "the function %q does not run natively", name).WithHint("%s", hint)
		return
	}
	d := list.Errorf("unknown-function", pos, path, "unknown function %q", name)
	if s := diag.Suggest(name, c.functionNames()); s != "" {
		d.WithHint("did you mean %q?", s)
		return
	}
	d.WithHint("stacrun functions lists what there is")
}

func (c *Compiler) functionNames() []string {
	var names []string
	for _, doc := range Functions(c.Functions) {
		names = append(names, doc.Name)
	}
	return names
}

// Doc describes a function for people.
type Doc struct {
	Name    string
	Group   string // "JMeter", "expression" or "domain"
	Params  string // "min, max[, variable]"
	Doc     string // one sentence
	Example string
}

// Functions lists everything that may be called between "${" and "}", beside the functions that
// the expression language itself has. domain are the functions that are handed to the [Compiler].
func Functions(domain []Function) []Doc {
	var docs []Doc
	for _, fn := range jmeterTable {
		docs = append(docs, Doc{fn.name, "JMeter", fn.params, fn.doc, fn.example})
	}
	for _, name := range scriptFunctions {
		docs = append(docs, Doc{name, "JMeter", "expression", "the value of a JavaScript expression: comparisons, && || !, + - * / %, .length, indexOf, includes, startsWith",
			"${" + name + "(${n} < 5)}"})
	}
	for _, fn := range expressionFunctions {
		docs = append(docs, Doc{fn.Name, "expression", fn.Params, fn.Doc, fn.Example})
	}
	for _, fn := range domain {
		docs = append(docs, Doc{fn.Name, "domain", fn.Params, fn.Doc, fn.Example})
	}
	return docs
}

func isScript(name string) bool {
	for _, s := range scriptFunctions {
		if s == name {
			return true
		}
	}
	return false
}

// trueText reads a boolean argument: "true" in any case is true.
func trueText(s string) bool { return strings.EqualFold(strings.TrimSpace(s), "true") }
