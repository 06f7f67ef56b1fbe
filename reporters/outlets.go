package reporters

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/influx"
	"github.com/stacrun/stacrun/reporters/jsonlines"
	"github.com/stacrun/stacrun/reporters/otlp"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/prometheus"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/statsd"
	"github.com/stacrun/stacrun/reporters/webhook"
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

func buildInflux(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := influx.Options{
		URL: o.address("url", "http", "https"), Bucket: o.text("bucket"), Org: o.text("org"), Token: o.text("token"),
		Database: o.text("database"), RetentionPolicy: o.text("retention-policy"), Username: o.text("username"), Password: o.text("password"),
		Tags: o.texts("tags"), Timeout: o.duration("timeout", 0),
	}
	if options.URL == nil {
		options.URL = fixed(influx.DefaultURL)
	}
	if (options.Bucket == "") == (options.Database == "") && len(o.diags) == 0 {
		o.diags.Errorf("missing-option", module.Pos, module.Path, "influx needs either bucket (version 2 and 3) or database (version 1)").
			WithHint("write {module: influx, url: %s, bucket: BUCKET, org: ORG, token: \"${INFLUX_TOKEN}\"}", influx.DefaultURL)
	}
	return influx.New(options), o.diags
}

func buildStatsD(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := statsd.Options{
		Address: o.text("address"), Prefix: o.text("prefix"), Dog: o.choice("format", "plain", "dogstatsd") == "dogstatsd", Tags: o.texts("tags"),
	}
	if options.Address == "" {
		options.Address = statsd.DefaultAddress
	}
	if _, _, err := net.SplitHostPort(options.Address); err != nil {
		o.wrong("address", o.module.Options.Get("address"), "HOST:PORT")
	}
	return statsd.New(options), o.diags
}

func buildJSONLines(module config.Module, _ *config.File, opts Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := jsonlines.Options{
		Filename: o.text("filename"), URL: o.address("url", "tcp", "http", "https"), Headers: o.texts("headers"),
		Timeout: o.duration("timeout", 0), Stdout: opts.Stdout,
	}
	if options.Filename != "" && options.URL != nil {
		node := module.Options.Get("filename")
		o.diags.Errorf("invalid-option", node.Pos, o.path("filename"), "jsonlines has both filename and url").
			WithHint("list the module twice, once with each")
	}
	return jsonlines.New(options), o.diags
}

func buildWebhook(module config.Module, _ *config.File, _ Options) (report.Reporter, diag.List) {
	o := optionsOf(module)
	options := webhook.Options{
		URL: o.needed("url", "\"${WEBHOOK_URL}\"", "https", "http"), Headers: o.texts("headers"),
		Slack: o.choice("format", "json", "slack") == "slack", Timeout: o.duration("timeout", 0),
	}
	options.On = o.words("on", webhook.End, webhook.Failure, webhook.Criterion)
	if o.diags.HasErrors() {
		return nil, o.diags
	}
	return webhook.New(options), o.diags
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
