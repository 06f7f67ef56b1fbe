package config

import (
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// methods are those that a misspelling is compared with.
var methods = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "MOVE", "COPY", "MKCOL", "LOCK", "UNLOCK", "REPORT", "SEARCH", "QUERY", "PURGE", "LINK", "UNLINK"}

// request reads one HTTP request; inherited are the headers of its scenario.
func (d *decoder) request(a at, inherited []Header) *Request {
	r := &Request{At: At{Pos: a.Pos, Path: a.path}, URL: d.text(a.get("url")), Label: d.text(a.get("label"))}
	if !r.Label.Set() {
		// One label for all values of the variables in it, so that labels do not grow without end.
		r.Label = r.URL
		r.Label.Literal = true
		r.Label.Value = maskURL(r.Label.Value) // labels stand in every report
	}
	d.url(r.URL)
	r.Method = d.method(a.get("method"))
	r.Settings = d.requestSettings(a)
	r.Body = d.body(a, r.Method.Value, contentType(r.Settings.Headers, inherited))
	r.Asserts, r.Extractors = d.asserts(a), d.extractors(a)
	r.Condition = d.text(a.get("when"))
	for _, status := range d.textList(a.get("accept")) {
		if !statusPattern(status.Value) {
			d.diags.Errorf("invalid-value", status.Pos, status.Path, "%q is not a status", status.Value).
				WithHint("write a status such as 404, or a pattern such as 2xx")
			continue
		}
		r.SuccessOn = append(r.SuccessOn, strings.ToLower(strings.NewReplacer("?", "x", "*", "x").Replace(status.Value)))
	}
	d.rejected(a)
	return r
}

func (d *decoder) url(url Text) {
	if url.Pos.Known() && isBlank(url.Value) {
		d.diags.Errorf("invalid-value", url.Pos, url.Path, "the url is empty").WithHint("write / for the default-address itself")
		return
	}
	scheme, _, found := strings.Cut(url.Value, "://")
	if found && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-.0123456789") == "" &&
		!strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		d.diags.Errorf("invalid-value", url.Pos, url.Path, "scheme %q cannot be loaded", scheme).WithHint("write http or https")
	}
}

// method reads the method; GET when there is none.
func (d *decoder) method(a at) Text {
	m := d.text(a)
	if !m.Set() {
		return Text{Value: "GET"}
	}
	if isTemplate(m.Value) {
		return m
	}
	m.Value = strings.ToUpper(strings.TrimSpace(m.Value))
	if contains(methods, m.Value) {
		return m
	}
	switch suggestion := diag.Suggest(m.Value, methods); {
	case suggestion != "":
		e := d.diags.Errorf("unknown-method", m.Pos, m.Path, "unknown method %q", a.Text)
		e.WithHint("did you mean %q?", suggestion)
	case m.Value == "" || strings.Trim(m.Value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~") != "":
		d.diags.Errorf("unknown-method", m.Pos, m.Path, "%q is not a method", a.Text).WithHint("write a method such as GET or POST")
	}
	return m
}

// requestSettings reads the keys that scenarios and requests share.
func (d *decoder) requestSettings(a at) RequestSettings {
	s := RequestSettings{
		Headers: d.headers(a.get("headers")), ThinkTime: d.thinkTime(a.get("think-time")), Timeouts: d.timeouts(a.get("timeout")),
		KeepAlive: d.flag(a.get("keepalive")), FollowRedirects: d.flag(a.get("follow-redirects")), MaxRedirects: d.count(a.get("max-redirects")),
		ContentEncoding: d.text(a.get("content-encoding")), RandomSourceIP: d.flag(a.get("random-source-ip")),
		Host: d.text(a.get("host")), TLS: d.tls(a.get("tls")), RetrieveResources: d.flag(a.get("retrieve-resources")),
		ResourcesRegex: d.text(a.get("retrieve-resources-regex")), ResourcesPool: d.count(a.get("concurrent-pool-size")),
		MaxBody: d.size(a.get("max-body")),
	}
	if protocol := a.get("protocol"); protocol.scalar() && protocol.Text != "http" && protocol.Text != "https" {
		d.diags.Errorf("unsupported", protocol.Pos, protocol.path, "protocol %q cannot be loaded", protocol.Text).WithHint("only http runs natively")
	}
	return s
}

func (d *decoder) headers(a at) []Header {
	var out []Header
	for _, e := range a.entries() {
		h := Header{Name: strings.TrimSpace(e.Key), Unset: e.Value.Kind == Null}
		if strings.ContainsAny(h.Name, " :\r\n\t") || h.Name == "" {
			d.diags.Errorf("invalid-value", e.KeyPos, a.path+"."+PathPart(e.Key), "%q is not a header name", e.Key).
				WithHint("write names such as Content-Type, without spaces and colons")
			continue
		}
		h.Value = d.text(at{e.Value, a.path + "." + PathPart(e.Key)})
		if strings.ContainsAny(strings.TrimRight(h.Value.Value, "\r\n"), "\r\n") {
			d.diags.Errorf("invalid-value", h.Value.Pos, h.Value.Path, "the value of header %q holds a line break", h.Name).
				WithHint("write the value on one line")
			continue
		}
		h.Value.Value = strings.TrimRight(h.Value.Value, "\r\n")
		out = append(out, h)
	}
	return out
}

// contentType is the value of the content-type header that a request will have, in small letters.
func contentType(own, inherited []Header) string {
	for _, list := range [][]Header{own, inherited} {
		for _, h := range list {
			if strings.EqualFold(h.Name, "content-type") {
				return strings.ToLower(strings.TrimSpace(h.Value.Value))
			}
		}
	}
	return ""
}

func (d *decoder) timeouts(a at) Timeouts {
	connect := d.duration(a.get("connect"))
	total := a.get("total")
	if total.Node == a.get("connect").Node {
		// One time for all: where it is a request's, nothing of the scenario's timeouts is left.
		first := d.duration(a.get("first-byte"))
		if !first.Set && connect.Set {
			first = Value[time.Duration]{Set: true, Pos: connect.Pos}
		}
		return Timeouts{Connect: connect, Total: connect, FirstByte: first}
	}
	return Timeouts{Connect: connect, FirstByte: d.duration(a.get("first-byte")), Total: d.duration(total)}
}

// thinkTime reads a time or a distribution of times.
func (d *decoder) thinkTime(a at) Value[ThinkTime] {
	if !a.scalar() {
		return Value[ThinkTime]{}
	}
	v := Value[ThinkTime]{Set: true, Pos: a.Pos, V: ThinkTime{Distribution: "constant"}}
	name, arguments, called := strings.Cut(a.Text, "(")
	name = strings.ToLower(strings.TrimSpace(name))
	switch {
	case isTemplate(a.Text):
		v.V.Template = d.text(a)
		return v
	case !called:
		mean := d.duration(a)
		v.V.Mean, v.Set = mean.V, mean.Set
		return v
	}
	known := []string{"uniform", "gaussian", "poisson"}
	const hint = "write a time such as 500ms, or uniform(mean, deviation), gaussian(mean, deviation) or poisson(mean, minimum)"
	if !contains(known, name) {
		d.diags.Errorf("invalid-value", a.Pos, a.path, "unknown distribution %q", name).WithHint("%s", orElse(diag.DidYouMean(name, known), hint))
		return Value[ThinkTime]{}
	}
	arguments, closed := strings.CutSuffix(strings.TrimSpace(arguments), ")")
	parts := strings.FieldsFunc(arguments, func(r rune) bool { return r == ',' || r == ' ' })
	if !closed || len(parts) != 2 {
		d.diags.Errorf("invalid-value", a.Pos, a.path, "%s needs two times in parentheses, got %q", name, a.Text).WithHint("%s", hint)
		return Value[ThinkTime]{}
	}
	var times [2]time.Duration
	for i, part := range parts {
		var err error
		if times[i], err = ParseDuration(part); err != nil {
			d.diags.Errorf("invalid-duration", a.Pos, a.path, "%v in %q", err, a.Text).WithHint("%s", durationHint)
			return Value[ThinkTime]{}
		}
		doubtBareSeconds(&d.diags, a.Pos, a.path, part)
	}
	if times[1] > times[0] && name != "gaussian" {
		d.diags.Errorf("invalid-value", a.Pos, a.path, "in %q the second time is greater than the mean", a.Text).WithHint("%s", hint)
		return Value[ThinkTime]{}
	}
	v.V = ThinkTime{Distribution: name, Mean: times[0], Deviation: times[1]}
	return v
}
