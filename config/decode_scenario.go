package config

import "strings"

// scenarios reads all scenarios in order.
func (d *decoder) scenarios() {
	for _, e := range d.root("scenarios").entries() {
		if e.Value.Kind != Mapping && e.Value.Kind != Null {
			continue
		}
		s := d.scenario(e)
		d.file.Scenarios = append(d.file.Scenarios, s)
	}
}

func (d *decoder) scenario(e Entry) *Scenario {
	a := at{e.Value, "scenarios." + PathPart(e.Key)}
	d.setup, d.teardown = nil, nil
	s := &Scenario{
		Name: e.Key, Pos: e.KeyPos, Path: a.path,
		Properties:        textMap(a.get("properties")),
		DefaultAddress:    d.text(a.get("default-address")),
		Variables:         d.variables(a.get("variables")),
		StoreCookie:       d.flag(a.get("store-cookie")).Or(true),
		StoreCache:        d.flag(a.get("store-cache")).Or(true),
		ForceParentSample: d.flag(a.get("force-parent-sample")).Or(false),
		FollowLinks:       orElse(d.word(a.get("follow-links")), "rewrite"),
	}
	d.properties = merged(d.file.Settings.Properties, s.Properties)
	d.defaultAddress(s)
	s.Defaults = d.requestSettings(a)
	s.DataSources = d.dataSources(a.get("data-sources"), s.Variables)
	s.Cookies = d.cookies(a.get("cookies"))
	s.Authorization = d.authorization(a.get("authorization"))
	s.Asserts, s.Extractors = d.asserts(a), d.extractors(a)
	d.rejected(a)
	s.Requests = d.steps(a.get("requests"), s.Defaults.Headers)
	s.Tasks = d.tasks(a, s)
	s.Setup = append(d.setup, d.steps(a.get("setup"), s.Defaults.Headers)...)
	s.Teardown = append(d.teardown, d.steps(a.get("teardown"), s.Defaults.Headers)...)
	d.foreachLists(s)
	return s
}

func (d *decoder) tasks(a at, s *Scenario) []Task {
	var out []Task
	list := a.get("tasks")
	if list.Node == nil {
		return nil
	}
	if e := a.Node.Entry("tasks"); a.get("requests").Node != nil {
		d.diags.Errorf("conflict", e.KeyPos, list.path, "\"tasks\" cannot stand beside \"requests\"").
			WithHint("an iteration either walks through the requests or draws one task: make the requests a task").
			WithNote(a.Node.Entry("requests").KeyPos, "requests are here")
	}
	for _, item := range list.mappings() {
		t := Task{Name: d.word(item.get("task")), Weight: d.number(item.get("weight")).Or(1), Pos: item.Pos}
		if weight := item.get("weight"); weight.scalar() && t.Weight <= 0 {
			d.diags.Errorf("invalid-value", weight.Pos, weight.path, "weight must be greater than 0, got %s", weight.Text).
				WithHint("remove the task to leave it out")
			continue
		}
		t.Requests = d.steps(item.get("requests"), s.Defaults.Headers)
		out = append(out, t)
	}
	return out
}

// defaultAddress checks the address that relative URLs are put behind. (That its path is kept is told
// when the plan is made, where the result is known.)
func (d *decoder) defaultAddress(s *Scenario) {
	address := &s.DefaultAddress
	if address.Value == "" || strings.HasPrefix(address.Value, "${") {
		return
	}
	scheme, rest, found := strings.Cut(address.Value, "://")
	switch {
	case strings.HasPrefix(address.Value, "unix:") || strings.HasPrefix(scheme, "http+unix"):
		d.diags.Errorf("invalid-value", address.Pos, address.Path, "a socket in the file system cannot be loaded").
			WithHint("let the server listen on a port, or forward one to the socket, and write it as http://127.0.0.1:PORT")
	case !found:
		d.diags.Errorf("invalid-value", address.Pos, address.Path, "default-address %q has no scheme", address.Value).
			WithHint("write %q", "http://"+address.Value)
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") && !isTemplate(scheme):
		d.diags.Errorf("invalid-value", address.Pos, address.Path, "scheme %q cannot be loaded", scheme).WithHint("write http or https")
	case strings.Trim(rest, "/") == "":
		d.diags.Errorf("invalid-value", address.Pos, address.Path, "default-address %q names no host", address.Value).
			WithHint("write scheme, host and port, such as http://localhost:8080")
	}
}

func (d *decoder) cookies(a at) []Cookie {
	var out []Cookie
	for _, item := range a.mappings() {
		out = append(out, Cookie{
			Name: d.text(item.get("name")), Value: d.text(item.get("value")), Domain: d.text(item.get("domain")),
			Path: d.text(item.get("path")), Secure: d.flag(item.get("secure")).Or(false),
		})
	}
	return out
}
