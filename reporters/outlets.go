package reporters

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/otlp"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/prometheus"
	"github.com/stacrun/stacrun/reporters/report"
)

// The reporters that send figures to other systems while a run goes on.

func buildPrometheus(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := prometheus.Options{
		Listen: o.text("listen"), Linger: o.duration("linger", 0), Labels: o.texts("labels"), Buckets: o.limits("buckets"),
		RemoteWrite: o.address("remote-write", "http", "https"), Headers: o.texts("headers"), Every: o.duration("interval", 0),
		Classic: o.choice("histograms", "native", "classic") == "classic", Timeout: o.duration("timeout", 0),
	}
	if options.Listen == "" && options.RemoteWrite == nil {
		options.Listen = prometheus.DefaultListen
	}
	return prometheus.New(options), o.diags
}

func buildOTLP(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := otlp.Options{
		Endpoint: o.address("endpoint", "http", "https"), Headers: o.texts("headers"), Attributes: o.texts("attributes"),
		Every: o.duration("interval", 0), Timeout: o.duration("timeout", 0),
	}
	if options.Endpoint == nil {
		options.Endpoint = fixed(otlp.DefaultEndpoint)
	}
	return otlp.New(options), o.diags
}

// fixed reads an address of ours.
func fixed(text string) *url.URL {
	u, _ := url.Parse(text) // the defaults are well formed
	return u
}

// texts gives a mapping of names to texts, nil when the option is not written.
func (o *options) texts(key string) map[string]string {
	node := o.module.Options.Get(key)
	if node == nil || node.Kind == config.Null {
		return nil
	}
	if node.Kind != config.Mapping {
		o.wrong(key, node, "a mapping of names to texts")
		return nil
	}
	texts := map[string]string{}
	for _, e := range node.Entries {
		if e.Value.Kind != config.Null {
			texts[e.Key] = e.Value.String()
		}
	}
	return texts
}

// address gives a URL of one of the schemes, nil when the option is not written. What is wrong with
// one is told without it, since it may hold a secret.
func (o *options) address(key string, schemes ...string) *url.URL {
	text := o.text(key)
	if text == "" {
		return nil
	}
	u, err := outlet.ParseURL(text, schemes...)
	if err != nil {
		node := o.module.Options.Get(key)
		o.diags.Errorf("invalid-option", node.Pos, o.path(key), "%s of %s is no address: %v", key, o.module.Name, err).
			WithHint("write %s: %s://HOST:PORT/PATH", key, schemes[0])
		return nil
	}
	return u
}

// needed is [options.address] of an option that must be written.
func (o *options) needed(key, example string, schemes ...string) *url.URL {
	if o.text(key) == "" && len(o.diags) == 0 {
		o.diags.Errorf("missing-option", o.module.Pos, o.module.Path, "%s needs %s", o.module.Name, key).
			WithHint("write {module: %s, %s: %s}", o.module.Name, key, example)
	}
	return o.address(key, schemes...)
}

// limits gives upper limits of buckets in seconds, written as durations; nil when they are not written.
func (o *options) limits(key string) []float64 {
	node := o.module.Options.Get(key)
	if node == nil || node.Kind == config.Null {
		return nil
	}
	if node.Kind != config.Sequence {
		o.wrong(key, node, "a list of durations")
		return nil
	}
	var limits []float64
	for _, item := range node.Items {
		d, err := config.ParseDuration(item.String())
		if err != nil || d <= 0 || d > time.Hour || len(limits) > 0 && d.Seconds() <= limits[len(limits)-1] {
			o.wrong(key, item, "ascending durations up to 1h")
			return nil
		}
		limits = append(limits, d.Seconds())
	}
	return limits
}

// words gives one word or a list of them, each one of those known; the first known when the option is
// not written.
func (o *options) words(key string, known ...string) []string {
	node := o.module.Options.Get(key)
	if node == nil || node.Kind != config.Sequence {
		return []string{o.choice(key, known...)}
	}
	var words []string
	for _, item := range node.Items {
		if !slices.Contains(known, item.String()) {
			o.wrong(key, item, strings.Join(known, " or "))
			continue
		}
		words = append(words, item.String())
	}
	return words
}
