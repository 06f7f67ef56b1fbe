package services

import (
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/stac"
)

// options reads the keys of an entry and collects what is wrong with them.
type options struct {
	module config.Module
	faults diag.List
}

func (o *options) fail(key string, n *config.Node, format string, args ...any) *diag.Diagnostic {
	return o.faults.Errorf("bad-value", n.Pos, o.module.Path+"."+key, format, args...)
}

func (o *options) text(key, fallback string) string {
	n := o.module.Options.Get(key)
	if n == nil || n.Kind == config.Null {
		return fallback
	}
	if n.Kind != config.Scalar {
		o.fail(key, n, "%s of %s is not a text", key, o.module.Name).WithHint("write one value")
		return fallback
	}
	return n.String()
}

// count reads a whole number of at least least.
func (o *options) count(key string, fallback, least int) int {
	n := o.module.Options.Get(key)
	if n == nil || n.Kind == config.Null {
		return fallback
	}
	v, ok := n.Int()
	if !ok || v < int64(least) || v > 1<<40 {
		o.fail(key, n, "%s %q of %s is not a whole number from %d up", key, n.String(), o.module.Name, least).
			WithHint("write %s: %d", key, max(fallback, least))
		return fallback
	}
	return int(v)
}

func (o *options) duration(key string, fallback time.Duration) time.Duration {
	n := o.module.Options.Get(key)
	if n == nil || n.Kind == config.Null {
		return fallback
	}
	v, err := config.ParseDuration(n.String())
	if err != nil || n.Kind != config.Scalar {
		o.fail(key, n, "%s %q of %s is not a duration", key, n.String(), o.module.Name).WithHint("write for example %s: 30s", key)
		return fallback
	}
	return v
}

func (o *options) pairs(key string) map[string]string {
	pairs := map[string]string{}
	if n := o.module.Options.Get(key); n != nil {
		for _, e := range n.Entries {
			pairs[e.Key] = e.Value.String()
		}
	}
	return pairs
}

// list reads one text or a list of texts.
func (o *options) list(key string) []*config.Node {
	n := o.module.Options.Get(key)
	switch {
	case n == nil || n.Kind == config.Null:
		return nil
	case n.Kind == config.Sequence:
		return n.Items
	}
	return []*config.Node{n}
}

// listenURL turns the address of a stac-api entry, host:port or a URL, into host:port and URL.
func listenURL(address string) (listen, url string) {
	listen = strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	if strings.HasPrefix(listen, ":") {
		return listen, "http://127.0.0.1" + listen
	}
	return listen, "http://" + strings.Replace(listen, "0.0.0.0:", "127.0.0.1:", 1)
}

// Address returns the URL of the first stac-api among services; "" when there is none.
func Address(modules []config.Module) string {
	for _, module := range modules {
		if module.Name == "stac-api" {
			o := options{module: module}
			_, url := listenURL(o.text("address", stac.DefaultAddress))
			return url
		}
	}
	return ""
}

// Target finds the API that a document is about: its stac-api, or else the default address of the first
// scenario that has one without a template; "" when there is none.
func Target(file *config.File) string {
	if url := Address(file.Services); url != "" {
		return url
	}
	for _, scenario := range file.Scenarios {
		if address := scenario.DefaultAddress.Value; address != "" && !strings.Contains(address, "${") {
			return address
		}
	}
	return ""
}
