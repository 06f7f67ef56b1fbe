package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
)

// archive gathers exchanges for an HTTP archive, format 1.2. Secrets are masked unless they shall be shown.
type archive struct {
	entries []harEntry
	secrets debugSecrets
}

type harEntry struct {
	Started  string      `json:"startedDateTime"`
	Time     float64     `json:"time"` // ms, as all times
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Comment  string      `json:"comment,omitempty"`
}

type harRequest struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []harPair `json:"cookies"`
	Headers     []harPair `json:"headers"`
	Query       []harPair `json:"queryString"`
	PostData    *harPost  `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int       `json:"bodySize"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
	Error       string     `json:"_error,omitempty"` // as browsers call it
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harPost struct {
	MIMEType string    `json:"mimeType"`
	Params   []harPair `json:"params"`
	Text     string    `json:"text"`
}

type harContent struct {
	Size     int    `json:"size"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

// harTimings has -1 for phases that did not take place. connect includes ssl, as the format wants it.
type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	TLS     float64 `json:"ssl"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// add takes an exchange; one that was never sent has no place in an archive.
func (a *archive) add(t *engine.Trace) {
	if len(t.Request) == 0 {
		return
	}
	timing := &t.Timing
	e := harEntry{
		Started: t.Started.Format(time.RFC3339Nano), Time: harMillis(timing.End - timing.Start), Comment: t.Label,
		Request: harRequestOf(t, a.secrets), Response: harResponseOf(t, a.secrets),
		Timings: harTimings{
			Blocked: -1, DNS: phase(timing.DNS - timing.Start), Connect: phase(timing.TLS - timing.DNS), TLS: phase(timing.TLS - timing.Connected),
			Send: harMillis(timing.Sent - timing.TLS), Wait: harMillis(timing.FirstByte - timing.Sent), Receive: harMillis(timing.End - timing.FirstByte),
		},
	}
	a.mask(&e)
	a.entries = append(a.entries, e)
}

// mask hides secrets of the document wherever they stand; headers, cookies and queries are masked by name before.
func (a *archive) mask(e *harEntry) {
	texts := []*string{&e.Comment, &e.Request.URL, &e.Response.RedirectURL, &e.Response.Error}
	if e.Request.PostData != nil {
		texts = append(texts, &e.Request.PostData.Text)
	}
	if e.Response.Content.Encoding == "" {
		texts = append(texts, &e.Response.Content.Text)
	}
	for _, pairs := range [][]harPair{e.Request.Headers, e.Request.Query, e.Response.Headers} {
		for i := range pairs {
			texts = append(texts, &pairs[i].Value)
		}
	}
	for _, text := range texts {
		*text = a.secrets.Mask(*text)
	}
}

func harMillis(ns int64) float64 { return float64(ns) / 1e6 }

// phase is -1 for a phase that was skipped.
func phase(ns int64) float64 {
	if ns <= 0 {
		return -1
	}
	return harMillis(ns)
}

func harRequestOf(t *engine.Trace, secrets debugSecrets) harRequest {
	r := harRequest{
		Method: t.Method, URL: t.URL, HTTPVersion: t.Protocol, Cookies: []harPair{}, Query: []harPair{},
		HeadersSize: t.RequestHead, BodySize: len(t.Request) - t.RequestHead,
	}
	var contentType string
	r.Headers, contentType = harHeaders(t.Request[:t.RequestHead], secrets)
	for _, line := range headersOf(t.Request[:t.RequestHead], "cookie") {
		for _, one := range strings.Split(line, ";") {
			r.Cookies = append(r.Cookies, harCookie(one, secrets))
		}
	}
	if address, query, found := strings.Cut(t.URL, "?"); found {
		parts := strings.Split(query, "&")
		for i, part := range parts {
			name, value, _ := strings.Cut(part, "=")
			pair := harPair{unescape(name), unescape(value)}
			if secrets.hides(pair.Name) {
				pair.Value, parts[i] = config.Mask, name+"="+config.Mask
			}
			r.Query = append(r.Query, pair)
		}
		r.URL = address + "?" + strings.Join(parts, "&")
	}
	if body := t.Request[t.RequestHead:]; len(body) > 0 {
		r.PostData = &harPost{MIMEType: contentType, Params: []harPair{}, Text: strings.ToValidUTF8(string(body), "\uFFFD")}
	}
	return r
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

func harResponseOf(t *engine.Trace, secrets debugSecrets) harResponse {
	r := harResponse{
		Status: t.Status, HTTPVersion: t.Protocol, Cookies: []harPair{}, HeadersSize: len(t.ResponseHead), BodySize: t.BodyBytes,
		Error: t.FaultText,
	}
	line, _, _ := bytes.Cut(t.ResponseHead, []byte("\r\n"))
	if words := strings.SplitN(string(line), " ", 3); len(words) > 0 && words[0] != "" {
		r.HTTPVersion = words[0]
		if len(words) == 3 {
			r.StatusText = words[2]
		}
	}
	r.Headers, r.Content.MIMEType = harHeaders(t.ResponseHead, secrets)
	if r.Content.MIMEType == "" {
		r.Content.MIMEType = "x-unknown"
	}
	if location := headersOf(t.ResponseHead, "location"); location != nil {
		r.RedirectURL = location[0]
	}
	for _, line := range headersOf(t.ResponseHead, "set-cookie") {
		r.Cookies = append(r.Cookies, harCookie(line, secrets))
	}
	r.Content.Size = len(t.ResponseBody)
	if utf8.Valid(t.ResponseBody) {
		r.Content.Text = string(t.ResponseBody)
	} else {
		r.Content.Text, r.Content.Encoding = base64.StdEncoding.EncodeToString(t.ResponseBody), "base64"
	}
	return r
}

// harHeaders lists the lines of a head and gives the content type.
func harHeaders(head []byte, secrets debugSecrets) (headers []harPair, contentType string) {
	headers = []harPair{}
	first := true
	for line := range bytes.Lines(head) {
		if first {
			first = false
			continue
		}
		name, value, found := strings.Cut(strings.TrimRight(string(line), "\r\n"), ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		switch {
		case strings.EqualFold(name, "content-type"):
			contentType = value
		case secrets.hides(name):
			value = config.Mask
		}
		headers = append(headers, harPair{name, value})
	}
	return headers, contentType
}

// headersOf gives the values of the lines of that lower-case name.
func headersOf(head []byte, want string) (values []string) {
	for line := range bytes.Lines(head) {
		if name, value, found := strings.Cut(string(line), ":"); found && strings.EqualFold(name, want) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// harCookie is a cookie, whose value counts as a secret.
func harCookie(text string, secrets debugSecrets) harPair {
	name, value, _ := strings.Cut(text, "=")
	pair := harPair{strings.TrimSpace(name), config.Mask}
	if secrets.hides("cookie") {
		return pair
	}
	pair.Value, _, _ = strings.Cut(value, ";")
	return pair
}

// write writes the archive as JSON.
func (a *archive) write(w io.Writer) error {
	type creator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	type log struct {
		Version string     `json:"version"`
		Creator creator    `json:"creator"`
		Entries []harEntry `json:"entries"`
	}
	entries := a.entries
	if entries == nil {
		entries = []harEntry{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Log log `json:"log"`
	}{log{Version: "1.2", Creator: creator{"stacrun", version}, Entries: entries}})
}
