package config

import (
	"slices"
	"strings"
	"time"
)

// artifactsVariable is always known in substitutions.
const artifactsVariable = "TAURUS_ARTIFACTS_DIR"

// environment is what settings.env makes known to the whole document.
type environment struct {
	names  []string         // in document order
	values map[string]*Node // scalars or null
	unset  map[string]*Node // entries that import a variable which the system does not have
	used   map[string]bool  // names that stood somewhere outside settings.env
}

// substitute replaces ${NAME} in every text of the document by the value that settings.env has for
// NAME. The values themselves are first completed from the variables of the system, and from one
// another. $${NAME} is a literal and stays; so does a name that settings.env does not have, which
// is a variable of the run.
func (l *loader) substitute() {
	env := &environment{values: map[string]*Node{}, unset: map[string]*Node{}, used: map[string]bool{}}
	if entries := l.doc.At("settings", "env"); entries != nil && entries.Kind == Mapping {
		for _, e := range entries.Entries {
			l.importVariable(env, e)
		}
	}
	l.completeAmongThemselves(env)
	env.markSecrets()
	if _, ok := env.values[artifactsVariable]; !ok {
		env.values[artifactsVariable] = &Node{Kind: Scalar, Text: l.artifactsDir(env), Quoted: true}
	}
	l.replaceIn(l.doc, env)
	l.reportUnset(env)
}

// importVariable completes one value from the variables of the system.
func (l *loader) importVariable(env *environment, e Entry) {
	if e.Value.Kind != Scalar && e.Value.Kind != Null {
		return // the schema says what is wrong with it
	}
	value := *e.Value
	if value.Kind == Scalar {
		text, secrets := l.expandSystem(value.Text)
		if slices.Contains(namesIn(text), e.Key) || text == "$"+e.Key {
			env.unset[e.Key] = e.Value
			return
		}
		if text != value.Text {
			value.Text, value.Quoted, value.Secrets = text, true, secrets // a variable of the system is text
		}
	}
	env.names = append(env.names, e.Key)
	env.values[e.Key] = &value
	*e.Value = value
}

// markSecrets notes the values that are secrets by their name in settings.env, so that they stay ones where they are put in.
func (env *environment) markSecrets() {
	for name, value := range env.values {
		if IsSecretKey(name) && value.Kind == Scalar && hidden(value) && !strings.Contains(value.Text, "${") {
			value.Secrets = []string{value.Text}
		}
	}
}

// isSecretVariable reports whether the value of that variable of the system must not be shown, under whichever name it is imported.
// Shells keep the working directory in variables that are named like passwords.
func isSecretVariable(name string) bool {
	return IsSecretKey(name) && name != "PWD" && name != "OLDPWD"
}

// expandSystem replaces $NAME and ${NAME} by variables of the system, where they exist. Secrets are the values of those with a secret's name.
func (l *loader) expandSystem(text string) (expanded string, secrets []string) {
	var b strings.Builder
	for i := 0; i < len(text); {
		if skip := literalLength(text[i:]); skip > 0 {
			b.WriteString(text[i : i+skip])
			i += skip
			continue
		}
		if text[i] != '$' {
			b.WriteByte(text[i])
			i++
			continue
		}
		var name string
		length := 1
		if inner, ok := braced(text[i:]); ok {
			name, length = inner, len(inner)+3
		} else {
			for i+length < len(text) && isWord(text[i+length]) {
				length++
			}
			name = text[i+1 : i+length]
		}
		if value, ok := l.getenv(name); ok && name != "" {
			b.WriteString(value)
			if isSecretVariable(name) && hidden(&Node{Text: value}) {
				secrets = append(secrets, value)
			}
		} else {
			length = max(1, min(length, len(text)-i))
			if strings.HasPrefix(text[i:], "${") {
				length = 2 // what is inside may hold another one
			}
			b.WriteString(text[i : i+length])
		}
		i += length
	}
	return b.String(), secrets
}

// completeAmongThemselves replaces names of settings.env inside its values, to any depth.
func (l *loader) completeAmongThemselves(env *environment) {
	const waiting, done = 1, 2
	state := map[string]int{}
	var complete func(name string)
	complete = func(name string) {
		state[name] = waiting
		value := env.values[name]
		if value.Kind == Scalar {
			for _, inner := range namesIn(value.Text) {
				if _, known := env.values[inner]; !known {
					continue
				}
				if state[inner] == waiting {
					l.diags.Errorf("env-cycle", value.Pos, "settings.env."+PathPart(name), "variable %q is needed for its own value", inner).
						WithHint("write one of the values out")
					value.Text = strings.ReplaceAll(value.Text, "${"+inner+"}", "")
					continue
				}
				if state[inner] != done {
					complete(inner)
				}
			}
			env.replace(value)
		}
		state[name] = done
	}
	for _, name := range env.names {
		if state[name] != done {
			complete(name)
		}
	}
}

// artifactsDir is the folder that the run is going to have, as far as that is known now.
func (l *loader) artifactsDir(env *environment) string {
	if l.opts.ArtifactsDir != "" {
		return l.opts.ArtifactsDir
	}
	now := l.opts.Now
	if now.IsZero() {
		now = time.Now()
	}
	template := &Node{Kind: Scalar, Text: l.doc.At("settings", "artifacts-dir").String()}
	env.replace(template)
	expanded, _ := l.expandSystem(template.Text)
	return ArtifactsDir(l.expandHome(expanded), now)
}

// replaceIn substitutes in every text below n. Keys are not touched.
func (l *loader) replaceIn(n *Node, env *environment) {
	for i := range n.Entries {
		l.replaceIn(n.Entries[i].Value, env)
	}
	for _, item := range n.Items {
		l.replaceIn(item, env)
	}
	if n.Kind != Scalar || !strings.Contains(n.Text, "${") {
		return
	}
	for _, value := range env.unset {
		if value == n {
			return // the import itself
		}
	}
	for _, name := range namesIn(n.Text) {
		env.used[name] = true
	}
	env.replace(n)
}

// reportUnset tells of variables that settings.env imports and the system does not have: an error
// when one is used.
func (l *loader) reportUnset(env *environment) {
	for name, value := range env.unset {
		path := "settings.env." + PathPart(name)
		add := l.diags.Warnf
		if env.used[name] {
			add = l.diags.Errorf
		}
		add("env-unset", value.Pos, path, "environment variable %q is not set", name).
			WithHint("set it, such as export %s=…, or write -o %s=…", name, path)
	}
}

// replace substitutes in one text. A text that is one single name takes the value's type.
func (env *environment) replace(n *Node) {
	if inner, ok := braced(n.Text); ok && len(inner)+3 == len(n.Text) {
		if value, known := env.values[inner]; known {
			n.Text, n.Quoted, n.Secrets = value.Text, value.Quoted || value.Kind == Null, value.Secrets
			return
		}
	}
	var b strings.Builder
	changed, secrets := false, slices.Clip(n.Secrets)
	for i := 0; i < len(n.Text); {
		rest := n.Text[i:]
		if skip := literalLength(rest); skip > 0 {
			b.WriteString(rest[:skip])
			i += skip
			continue
		}
		if inner, ok := braced(rest); ok {
			if value, known := env.values[inner]; known {
				b.WriteString(value.inText())
				i += len(inner) + 3
				changed, secrets = true, append(secrets, value.Secrets...)
				continue
			}
		}
		b.WriteByte(rest[0])
		i++
	}
	if changed {
		n.Text, n.Quoted, n.Secrets = b.String(), true, secrets
	}
}

// inText is how a value reads inside a longer text: booleans as Taurus writes them.
func (n *Node) inText() string {
	if v, ok := n.Bool(); ok && !n.Quoted {
		if v {
			return "True"
		}
		return "False"
	}
	return n.String()
}

// namesIn lists what stands in ${…} in a text, literals left out.
func namesIn(text string) []string {
	var names []string
	for i := 0; i < len(text); {
		if skip := literalLength(text[i:]); skip > 0 {
			i += skip
			continue
		}
		if inner, ok := braced(text[i:]); ok && !slices.Contains(names, inner) {
			names = append(names, inner)
		}
		i++
	}
	return names
}

// literalLength is the length of a literal "$${" at the beginning of text, 0 when there is none.
func literalLength(text string) int {
	if strings.HasPrefix(text, "$${") {
		return len("$${")
	}
	return 0
}

// braced gives what stands in a ${…} at the beginning of text.
func braced(text string) (inner string, ok bool) {
	rest, ok := strings.CutPrefix(text, "${")
	if !ok {
		return "", false
	}
	inner, _, ok = strings.Cut(rest, "}")
	return inner, ok
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
