package config

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// settings reads `settings` and the modules whose settings are the run's own.
func (d *decoder) settings() {
	s := &d.file.Settings
	a := d.root("settings")
	s.ArtifactsDir = orElse(d.word(a.get("artifacts-dir")), "%Y-%m-%d_%H-%M-%S.%f")
	s.Env = textMap(a.get("env"))
	if seed := d.count64(a.get("seed")); seed.Set {
		s.Seed = seed
	}
	s.Preflight = d.flag(a.get("preflight")).Or(true)
	s.DNS = d.dns(a.get("dns"))
	s.DefaultGate = orElse(d.word(a.get("default-gate")), "requests")
	s.GracefulStop = d.duration(a.get("graceful-stop"))
	s.RampUpExclude = d.flag(a.get("ramp-up-exclude")).Or(false)
	s.Verbose = d.flag(a.get("verbose")).Or(false)
	switch aggregator := d.word(a.get("aggregator")); {
	case aggregator == "functional-consolidator", aggregator == "functional":
		s.Functional = true
	case aggregator != "" && aggregator != "consolidator":
		known := []string{"consolidator", "functional-consolidator"}
		e := d.diags.Errorf("unknown-module", a.get("aggregator").Pos, "settings.aggregator", "unknown aggregator %q", aggregator)
		e.WithHint("%s", orElse(diag.DidYouMean(aggregator, known), "write consolidator, or functional-consolidator for functional mode"))
	}
	modules := d.root("modules")
	local := modules.get("local")
	s.Sequential = d.flag(local.get("sequential")).Or(false)
	if s.Capacity = d.count(local.get("capacity")).V; s.Sequential {
		s.Capacity = 1 // sequential wins
	}
	consolidator := modules.get("consolidator")
	s.Percentiles = d.percentiles(consolidator.get("percentiles"))
	s.MaxLabels = d.count(consolidator.get("generalize-labels")).V
	s.IgnoreLabels = []string{"ignore"}
	if prefixes := consolidator.get("ignore-labels"); prefixes.Node != nil {
		s.IgnoreLabels = values(d.textList(prefixes))
	}
	s.Properties = textMap(modules.get("jmeter").get("properties"))
	s.SystemProperties = d.systemProperties(modules.get("jmeter").get("system-properties"))
	d.properties = s.Properties
	d.provisioning()
}

// systemProperties reads those of Java. Only those of proxies mean something without a Java machine.
func (d *decoder) systemProperties(a at) map[string]string {
	known := []string{"http.nonProxyHosts"}
	for _, scheme := range []string{"http", "https"} {
		for _, part := range []string{"Host", "Port", "User", "Pass", "Password"} {
			known = append(known, scheme+".proxy"+part)
		}
	}
	for _, e := range a.entries() {
		name := e.Key
		if slices.Contains(known, name) {
			continue
		}
		d.diags.Warnf("taurus-only", e.KeyPos, a.path+"."+PathPart(name), "the system property %q has no effect: there is no Java machine here", name).
			WithHint("%s", orElse(diag.DidYouMean(name, known), "remove it; only those of proxies are used"))
	}
	return textMap(a)
}

func (d *decoder) provisioning() {
	if p := d.root("provisioning"); p.scalar() && p.Text == "cloud" {
		d.diags.Warnf("taurus-only", p.Pos, p.path, "there is no cloud here: the load comes from this machine, with the values for cloud").
			WithHint("write \"provisioning: local\" to use the values for local")
	}
}

// percentiles reads the levels of tables and files.
func (d *decoder) percentiles(a at) []float64 {
	var out []float64
	for _, item := range a.items() {
		level := d.number(item)
		if level.V > 100 {
			d.diags.Errorf("invalid-value", item.Pos, item.path, "a percentile level lies between 0 and 100, got %s", item.Text)
		} else if level.Set {
			out = append(out, level.V)
		}
	}
	if len(out) == 0 {
		return []float64{0, 50, 90, 95, 99, 99.9, 100}
	}
	return out
}

// count64 reads a seed.
func (d *decoder) count64(a at) Value[uint64] {
	if !a.scalar() {
		return Value[uint64]{}
	}
	n, ok := a.Int()
	if !ok || n < 0 {
		d.diags.Errorf("wrong-type", a.Pos, a.path, "%s must be a whole number of at least 0, got %q", lastPart(a.path), a.Text)
		return Value[uint64]{}
	}
	return Value[uint64]{V: uint64(n), Set: true, Pos: a.Pos}
}

func lastPart(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func splitColon(text string) func(func(string) bool) { return strings.SplitSeq(text, ":") }
