package reporters

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// options reads the options of a module and collects what is wrong with them. That only known ones
// are written is checked before, by the schema.
type options struct {
	module config.Module
	diags  diag.List
}

func optionsOf(module config.Module) *options { return &options{module: module} }

// text gives an option as text, "" when it is not written or null.
func (o *options) text(key string) string {
	node := o.module.Options.Get(key)
	if node == nil || node.Kind == config.Null {
		return ""
	}
	if node.Kind != config.Scalar {
		o.wrong(key, node, "a text")
		return ""
	}
	return node.String()
}

func (o *options) flag(key string, fallback bool) bool {
	node := o.module.Options.Get(key)
	if node == nil || node.Kind == config.Null {
		return fallback
	}
	value, ok := node.Bool()
	if !ok {
		o.wrong(key, node, "true or false")
		return fallback
	}
	return value
}

// choice gives one of the words, the first one when the option is not written.
func (o *options) choice(key string, words ...string) string {
	text := o.text(key)
	if text == "" {
		return words[0]
	}
	if !slices.Contains(words, text) {
		node := o.module.Options.Get(key)
		o.wrong(key, node, strings.Join(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" }), " or "))
		if hint := diag.DidYouMean(text, words); hint != "" {
			o.diags[len(o.diags)-1].Hint = hint
		}
		return words[0]
	}
	return text
}

func (o *options) duration(key string, fallback time.Duration) time.Duration {
	text := o.text(key)
	if text == "" {
		return fallback
	}
	d, err := config.ParseDuration(text)
	var unit *config.UnitError
	switch {
	case errors.As(err, &unit):
		node := o.module.Options.Get(key)
		o.diags.Errorf("invalid-duration", node.Pos, o.path(key), "%v", err).WithHint("%s", unit.Hint)
		return fallback
	case d <= 0:
		return fallback
	}
	return d
}

// levels gives a list of percentiles, 0…100.
func (o *options) levels(key string) []float64 {
	var levels []float64
	for _, node := range o.module.Options.Get(key).Items {
		level, ok := node.Float()
		if !ok || level < 0 || level > 100 {
			o.wrong(key, node, "a percentile between 0 and 100")
			continue
		}
		levels = append(levels, level)
	}
	return levels
}

func (o *options) wrong(key string, node *config.Node, want string) {
	o.diags.Errorf("invalid-option", node.Pos, o.path(key), "%s of %s must be %s, not %q", key, o.module.Name, want, diag.Shorten(node.Text, 60)).
		WithHint("write %s: %s", key, want)
}

func (o *options) path(key string) string { return o.module.Path + "." + key }
