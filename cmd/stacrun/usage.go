package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/stacrun/stacrun/diag"
)

// usageProblem says what is wrong with a command line in the way of our other messages: what is wrong, and what to write instead.
// Kong tells its errors apart by their texts only; one that is not known here is passed on as it is.
func usageProblem(err error) (message, hint string) {
	verb := selectedVerb(err)
	for _, known := range usageTexts {
		if m := known.pattern.FindStringSubmatch(err.Error()); m != nil {
			message, hint = known.say(verb, m)
			break
		}
	}
	if message == "" {
		message = err.Error()
	}
	if hint == "" {
		hint = `"stacrun --help" lists the verbs, "stacrun VERB --help" their flags`
		if verb != nil && verb.Type == kong.CommandNode {
			hint = fmt.Sprintf(`"stacrun %s --help" shows what it takes`, verbName(verb))
		}
	}
	return message, hint
}

// selectedVerb is the verb that was read before the mistake; nil: none was.
func selectedVerb(err error) *kong.Node {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return nil
	}
	if node := parse.Context.Selected(); node != nil {
		return node
	}
	return parse.Context.Model.Node
}

// verbName is "baseline save", or "stacrun" without a verb.
func verbName(verb *kong.Node) string {
	if verb == nil || verb.Type == kong.ApplicationNode {
		return "stacrun"
	}
	if verb.Parent != nil && verb.Parent.Type == kong.CommandNode {
		return verbName(verb.Parent) + " " + verb.Name
	}
	return verb.Name
}

// usageTexts are the texts of Kong's errors, and what we say.
var usageTexts = []struct { //nolint:gochecknoglobals // a constant table
	pattern *regexp.Regexp
	say     func(verb *kong.Node, m []string) (message, hint string)
}{
	{regexp.MustCompile(`^unknown flag (-\S*?)(,.*)?$`), unknownFlag},
	{regexp.MustCompile(`^unexpected argument (.*?)(, did you mean .*)?$`), unexpectedArgument},
	{regexp.MustCompile(`^expected one of (.*)$`), func(verb *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s needs one of its verbs: %s", verbName(verb), strings.ReplaceAll(m[1], `"`, "")), ""
	}},
	{regexp.MustCompile(`^expected "(.*?)"$`), func(verb *kong.Node, m []string) (string, string) {
		what := strings.ToUpper(strings.NewReplacer("<", "", ">", "", " ...", "").Replace(m[1]))
		return verbName(verb) + " needs " + what, "write stacrun " + usageOf(verb)
	}},
	{regexp.MustCompile(`^missing flags: (.*)$`), func(verb *kong.Node, m []string) (string, string) {
		return verbName(verb) + " needs " + strings.ReplaceAll(m[1], "=", " "), ""
	}},
	{regexp.MustCompile(`^(--\S+): (?:expected .*"EOL" \(<EOL>\)|missing value, expecting .*)$`), func(verb *kong.Node, m []string) (string, string) {
		return m[1] + " needs a value", "write " + flagWithValue(verb, m[1])
	}},
	{regexp.MustCompile(`^(--\S+): expected .* but got "(-.*)" \((?:long|short) flag\).*$`), func(verb *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s needs a value, and %q is a flag", m[1], m[2]), "write " + flagWithValue(verb, m[1])
	}},
	{regexp.MustCompile(`^(--\S+): expected (?:an int|a valid \d+ bit (u?)int) but got "(.*?)"`), func(_ *kong.Node, m []string) (string, string) {
		least := map[string]string{"u": " of at least 0"}[m[2]]
		return fmt.Sprintf("%s must be a whole number%s, got %q", m[1], least, m[3]), "write a number such as " + m[1] + "=5"
	}},
	{regexp.MustCompile(`^(--\S+): expected a float but got "(.*?)"`), func(_ *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s must be a number, got %q", m[1], m[2]), "write a number such as " + m[1] + "=1.5"
	}},
	{regexp.MustCompile(`^(--\S+): expected duration but got "(.*?)"`), func(_ *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s must be a time, got %q", m[1], m[2]), "write a time such as " + m[1] + "=30s or 1m30s"
	}},
	{regexp.MustCompile(`^(--\S+): bool value must be .* but got "(.*?)"`), func(_ *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s is switched on by its name and takes no value %q", m[1], m[2]), "write " + m[1]
	}},
	{regexp.MustCompile(`^(\S+) must be one of (.*) but got "(.*?)"$`), notOneOf},
	{regexp.MustCompile(`^(--\S+) and (--\S+) can't be used together$`), func(_ *kong.Node, m []string) (string, string) {
		return fmt.Sprintf("%s and %s cannot stand together", m[1], m[2]), "choose one of them"
	}},
}

func unknownFlag(verb *kong.Node, m []string) (message, hint string) {
	flag, _, _ := strings.Cut(strings.Trim(m[1], `"`), "=")
	message = fmt.Sprintf("unknown flag %q", flag)
	if verb == nil {
		return message, ""
	}
	if verb.Type == kong.CommandNode {
		message += " of " + verbName(verb)
	}
	var own, short []string
	for _, level := range verb.AllFlags(true) {
		for _, f := range level {
			own = append(own, f.Name)
			if f.Short != 0 {
				short = append(short, fmt.Sprintf("-%c", f.Short))
			}
		}
	}
	name, long := strings.CutPrefix(flag, "--")
	if !long {
		slices.Sort(short)
		return message, "the short flags are " + strings.Join(slices.Compact(short), ", ")
	}
	if guess := diag.Suggest(name, own); guess != "" {
		return message, fmt.Sprintf("did you mean %q?", "--"+guess)
	}
	return message, flagHint(verbName(verb), name)
}

func unexpectedArgument(verb *kong.Node, m []string) (message, hint string) {
	if verb == nil {
		return fmt.Sprintf("unexpected argument %q", m[1]), ""
	}
	var verbs []string
	for _, child := range verb.Children {
		verbs = append(verbs, child.Name)
	}
	if len(verbs) > 0 {
		hint = diag.DidYouMean(m[1], verbs)
		if hint == "" {
			hint = "its verbs are " + strings.Join(verbs, ", ")
		}
		return fmt.Sprintf("%q is no verb of %s", m[1], verbName(verb)), hint
	}
	return fmt.Sprintf("%s cannot take the argument %q", verbName(verb), m[1]), "write stacrun " + usageOf(verb)
}

func notOneOf(verb *kong.Node, m []string) (message, hint string) {
	var allowed []string
	for one := range strings.SplitSeq(m[2], ",") {
		if one = strings.Trim(one, `"`); one != "" {
			allowed = append(allowed, one)
		}
	}
	hint = diag.DidYouMean(m[3], allowed)
	if hint == "" && verb != nil && verb.Name == "report" && m[1] == "--format" {
		hint = "other forms are written by --html, --markdown, --junit, --csv and --timeline"
	}
	what := strings.Trim(m[1], "[]<>")
	return fmt.Sprintf("%s must be %s, got %q", what, strings.Join(allowed, " or "), m[3]), hint
}

// usageOf is how a verb is written with its arguments.
func usageOf(verb *kong.Node) string {
	text := verbName(verb)
	for _, p := range verb.Positional {
		text += " " + strings.ToUpper(strings.NewReplacer("<", "", ">", "", " ...", "…").Replace(p.Summary()))
	}
	return text
}

// flagWithValue shows a flag with what stands for its value in the help.
func flagWithValue(verb *kong.Node, name string) string {
	for _, level := range verb.AllFlags(false) {
		for _, f := range level {
			if "--"+f.Name == name {
				return name + "=" + f.FormatPlaceHolder()
			}
		}
	}
	return name + "=VALUE"
}
