package config

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// Mask stands in place of a secret, as in the artifacts of Taurus.
const Mask = "********"

// minSecret is the length in bytes from which a secret is also hidden inside other texts. Shorter
// ones would hide words that have nothing to do with it.
const minSecret = 6

// IsSecretKey reports whether the value of a key, header or variable of that name must not be shown.
// Case and the difference between "-" and "_" do not count.
func IsSecretKey(key string) bool {
	key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
	if key == "store-cookie" {
		return false // a switch
	}
	for _, ending := range []string{
		"password", "passwd", "passphrase", "pwd", "proxypass", "secret", "token", "authorization", "cookie",
		"api-key", "apikey", "access-key", "accesskey", "secret-key", "secretkey", "private-key", "credential", "credentials", "webhook-url", "signature",
	} {
		if strings.HasSuffix(key, ending) {
			return true
		}
	}
	return false
}

// MaskHead copies the head of an HTTP message with the values of header lines that hold secrets masked.
func MaskHead(head []byte) []byte {
	out := make([]byte, 0, len(head))
	for line := range bytes.Lines(head) {
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found || !IsSecretKey(string(bytes.TrimSpace(name))) {
			out = append(out, line...)
			continue
		}
		out = append(append(append(out, name...), ": "+Mask...), value[len(bytes.TrimRight(value, "\r\n")):]...)
	}
	return out
}

// MaskSecrets copies a document with every secret replaced: values of secret keys, values of
// cookies, passwords and tokens inside URLs, addresses of webhooks behind their host, and secrets of settings.env and of variables of
// the system wherever they were substituted. What settings.env gives to a secret key is a secret whatever its name. A value that is only a reference such as ${PASSWORD} stays, and so do the
// queries of extractors, which say where a token is and not what it is.
func MaskSecrets(n *Node) *Node {
	n = n.Clone()
	if n == nil {
		return nil
	}
	var everywhere []string
	if env := n.At("settings", "env"); env != nil {
		secrets := SecretsOf(n)
		for _, e := range env.Entries {
			switch v := e.Value; {
			case v.Kind != Scalar || v.Text == "" || isReference(v.Text):
			case IsSecretKey(e.Key):
				if len(v.Text) >= minSecret {
					everywhere = append(everywhere, v.Text)
				}
			case secrets.named[e.Key], secrets.values[v.Text]:
				v.Text, v.Quoted = Mask, true
			}
		}
	}
	eachScalar(n, "", func(n *Node, _ bool) {
		for _, value := range n.Secrets {
			if len(value) >= minSecret {
				everywhere = append(everywhere, value)
			}
		}
	})
	m := &masker{masking(everywhere)}
	m.walk(n, "")
	return n
}

// masking hides texts, of which one may begin as another.
func masking(texts []string) *strings.Replacer {
	texts = slices.Clone(texts)
	longestFirst(texts)
	var pairs []string
	for _, text := range texts {
		pairs = append(pairs, text, Mask)
	}
	return strings.NewReplacer(pairs...)
}

type masker struct{ replacer *strings.Replacer }

// walk masks below n, which is the value of key, or an item of it.
func (m *masker) walk(n *Node, key string) {
	switch n.Kind {
	case Scalar:
		m.scalar(n, key)
	case Sequence:
		for _, item := range n.Items {
			m.walk(item, key)
		}
	case Mapping:
		hook := isWebhook(n, key)
		for _, e := range n.Entries {
			if hook && e.Key == "url" && e.Value.Kind == Scalar {
				e.Value.Text = hookPath.ReplaceAllString(e.Value.Text, "${1}/"+Mask)
			}
			m.walk(e.Value, innerKey(key, e.Key))
		}
	}
}

// hookPath is what stands behind the host in the address of a webhook: who knows it can post there.
var hookPath = regexp.MustCompile(`^([a-zA-Z]+://[^/?#]+)[/?#].+$`)

// isWebhook reports whether a mapping, the value of key, describes the reporter that posts to a webhook.
func isWebhook(n *Node, key string) bool {
	module := n.Get("module")
	return key == "webhook" || module != nil && module.Text == "webhook"
}

// innerKey is the name under which the value of a key counts: queries of extractors say where a token is and
// not what it is, and the value of a cookie is a secret.
func innerKey(outer, key string) string {
	switch {
	case strings.HasPrefix(outer, "extract-"):
		return "extract-"
	case outer == "cookies" && key == "value":
		return "cookie"
	}
	return key
}

func (m *masker) scalar(n *Node, key string) {
	if IsSecretKey(key) {
		if hidden(n) && !isReference(n.Text) {
			n.Text, n.Quoted = Mask, true
		}
		return
	}
	text := n.Text
	if len(n.Secrets) > 0 { // short ones are known to be secrets only here
		text = masking(n.Secrets).Replace(text)
	}
	text = maskURL(m.replacer.Replace(text))
	if text != n.Text {
		n.Text, n.Quoted = text, true
	}
}

var reference = regexp.MustCompile(`^\$\{[\w.-]+\}$`)

// isReference reports whether a text is nothing but the name of a variable.
func isReference(text string) bool { return reference.MatchString(text) }

var (
	userInfo   = regexp.MustCompile(`(://[^/?#\s@:]*:)([^/?#\s@]+)@`)
	queryParam = regexp.MustCompile(`([?&])([^=&#\s?]+)=([^&#\s]*)`)

	// quotedParam is one in a text that may quote its URL: the value ends at a quote behind which no value goes on. An escaped quote, and
	// one before a letter, belong to it.
	quotedParam = regexp.MustCompile(`([?&])([^=&#\s?]+)=((?:[^&#\s"'\x60\\]|\\[^&#\s]|["'\x60][^&#\s"'\x60\\\])},;:.])*)`)
)

// maskURL hides the password of a URL and query parameters with a secret's name.
func maskURL(text string) string { return maskParams(text, queryParam) }

// maskParams does so with parameters as the pattern finds them.
func maskParams(text string, param *regexp.Regexp) string {
	if strings.Contains(text, "://") {
		text = userInfo.ReplaceAllString(text, "${1}"+Mask+"@")
	}
	if !strings.Contains(text, "=") {
		return text
	}
	return param.ReplaceAllStringFunc(text, func(found string) string {
		parts := param.FindStringSubmatch(found)
		if !IsSecretKey(parts[2]) || isReference(parts[3]) {
			return found
		}
		return parts[1] + parts[2] + "=" + Mask
	})
}
