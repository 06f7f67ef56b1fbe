package config

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Secrets are the secrets of a document, to be hidden in what a run sends and receives. The zero Secrets knows none, but still
// hides what stands under a secret's name.
type Secrets struct {
	values   map[string]bool
	long     []string        // of values: those that are hidden wherever they stand, the longest first, as one may begin as another
	named    map[string]bool // variables that stand in the value of a secret key
	replacer *strings.Replacer
}

// SecretsOf collects the values that [MaskSecrets] hides in documents.
func SecretsOf(documents ...*Node) *Secrets {
	s := &Secrets{values: map[string]bool{}, named: map[string]bool{}}
	for _, document := range documents {
		s.collect(document)
	}
	for value := range s.values {
		if len(value) >= minSecret {
			s.long = append(s.long, value)
		}
	}
	longestFirst(s.long)
	var pairs []string
	for _, value := range s.long {
		pairs = append(pairs, value, Mask)
		if escaped := url.QueryEscape(value); escaped != value {
			pairs = append(pairs, escaped, Mask)
		}
	}
	s.replacer = strings.NewReplacer(pairs...)
	return s
}

func longestFirst(texts []string) {
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
}

func (s *Secrets) collect(document *Node) {
	eachScalar(document, "", func(n *Node, secret bool) {
		for _, value := range n.Secrets {
			s.values[value] = true
		}
		if secret {
			s.add(n)
			return
		}
		for _, found := range userInfo.FindAllStringSubmatch(n.Text, -1) {
			s.values[found[2]] = true
		}
		for _, found := range queryParam.FindAllStringSubmatch(n.Text, -1) {
			if IsSecretKey(found[2]) && !strings.Contains(found[3], "${") && found[3] != "" {
				s.values[found[3]] = true
			}
		}
	})
}

// eachScalar visits the scalars below n, which is the value of key, and says which of them are secrets as a whole. The address of a
// webhook is visited twice, as what it is and as the text that it is.
func eachScalar(n *Node, key string, visit func(n *Node, secret bool)) {
	if n == nil {
		return
	}
	switch n.Kind {
	case Scalar:
		visit(n, IsSecretKey(key))
	case Sequence:
		for _, item := range n.Items {
			eachScalar(item, key, visit)
		}
	case Mapping:
		hook := isWebhook(n, key)
		for _, e := range n.Entries {
			if hook && e.Key == "url" && e.Value.Kind == Scalar && (hookPath.MatchString(e.Value.Text) || strings.Contains(e.Value.Text, "${")) {
				visit(e.Value, true)
			}
			eachScalar(e.Value, innerKey(key, e.Key), visit)
		}
	}
}

var variableName = regexp.MustCompile(`\$\{([\w.-]+)\}`)

// add takes the value of a secret's key; of "Bearer x" the token, too.
func (s *Secrets) add(n *Node) {
	for _, found := range variableName.FindAllStringSubmatch(n.Text, -1) {
		s.named[found[1]] = true
	}
	if strings.Contains(n.Text, "${") || !hidden(n) {
		return
	}
	s.values[n.Text] = true
	if _, token, found := strings.Cut(n.Text, " "); found && !strings.Contains(token, " ") {
		s.values[token] = true
	}
}

// hidden reports whether the value of a secret's key is worth hiding: a switch such as true is not.
func hidden(n *Node) bool {
	_, isBool := n.Bool()
	return n.Text != "" && (n.Quoted || !isBool)
}

var (
	formField  = regexp.MustCompile(`(^|[?&])([^=&#\s?"{]+)=([^&#\s]*)`)
	jsonMember = regexp.MustCompile(`("((?:[^"\\]|\\.)*)"\s*:\s*)("((?:[^"\\]|\\.)*)"|-?[0-9][0-9.eE+-]*)`)
)

// Mask hides secrets in a text of any kind: the values of the document's secrets, passwords inside URLs, and fields of queries,
// forms and JSON with a secret's name. What is named token and is no value of the document stays: a paging token is no
// secret, and says where in the result a request was.
func (s *Secrets) Mask(text string) string {
	if s.replacer != nil {
		text = s.replacer.Replace(text)
	}
	if strings.Contains(text, "://") {
		text = userInfo.ReplaceAllString(text, "${1}"+Mask+"@")
	}
	if strings.Contains(text, "=") {
		text = formField.ReplaceAllStringFunc(text, func(found string) string {
			parts := formField.FindStringSubmatch(found)
			if !s.hides(parts[2], parts[3]) {
				return found
			}
			return parts[1] + parts[2] + "=" + Mask
		})
	}
	if strings.Contains(text, `":`) || strings.Contains(text, `" :`) {
		text = jsonMember.ReplaceAllStringFunc(text, func(found string) string {
			parts := jsonMember.FindStringSubmatch(found)
			value := parts[3]
			if strings.HasPrefix(value, `"`) {
				value = parts[4]
			}
			if !s.hides(parts[2], value) {
				return found
			}
			return parts[1] + `"` + Mask + `"`
		})
	}
	return text
}

func (s *Secrets) hides(name, value string) bool {
	if value == "" || !IsSecretKey(name) {
		return false
	}
	if !strings.EqualFold(name, "token") {
		return true
	}
	plain, err := url.QueryUnescape(value)
	return s.values[value] || err == nil && s.values[plain]
}

// MaskURL hides the password of a URL and query parameters with a secret's name, unless their value is a variable.
func MaskURL(text string) string { return maskURL(text) }
