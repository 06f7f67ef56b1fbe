package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/antchfx/htmlquery"
	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// htmlTree returns the body as an HTML parser sees it, which accepts anything.
func (r *Response) htmlTree() (*html.Node, error) {
	return r.html.get(func() (*html.Node, error) { return html.Parse(bytes.NewReader(r.Body)) })
}

// xmlTree returns the body as an XML document.
func (r *Response) xmlTree() (*xmlquery.Node, error) {
	return r.xml.get(func() (*xmlquery.Node, error) {
		if len(bytes.TrimSpace(r.Body)) == 0 {
			return nil, errors.New("the body is empty, not XML")
		}
		text, err := transcodeXML(r.Body)
		if err != nil {
			return nil, err
		}
		root, err := xmlquery.Parse(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("the body is not XML: %w", err)
		}
		return root, nil
	})
}

var xmlEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// transcodeXML turns a document into UTF-8: names with a prefix are not found in others.
func transcodeXML(body []byte) ([]byte, error) {
	declared := xmlEncoding.FindSubmatchIndex(body)
	if declared == nil || strings.EqualFold(string(body[declared[2]:declared[3]]), "utf-8") {
		return body, nil
	}
	name := string(body[declared[2]:declared[3]])
	reader, err := charset.NewReaderLabel(name, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("the body has the unknown encoding %q", name)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("read the body as %s: %w", name, err)
	}
	return bytes.Replace(text, []byte(name), []byte("utf-8"), 1), nil
}

// XPath is a compiled XPath 1.0 query. It is immutable and shared by all users.
type XPath struct {
	source string
	query  string
	ns     map[string]string
	html   bool
}

// CompileXPath compiles a query. With tolerant the body is read as HTML; namespaces maps the
// prefixes of the query to URIs, for XML.
func CompileXPath(text string, tolerant bool, namespaces map[string]string) (x *XPath, err error) {
	// The library's parser panics on some malformed queries.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the query is empty")
	}
	x = &XPath{source: text, query: text, ns: namespaces, html: tolerant}
	_, err = x.compile()
	return x, err
}

// compile makes a query that one goroutine can run: the library's compiled queries keep state.
func (x *XPath) compile() (*xpath.Expr, error) {
	if len(x.ns) > 0 {
		return xpath.CompileWithNS(x.query, x.ns)
	}
	return xpath.Compile(x.query)
}

// Source returns the query as written.
func (x *XPath) Source() string { return x.source }

// Each calls yield with the text of every node that the query selects, or with the one value that
// it computes, until it returns false. truth is the query as a condition: whether nodes were
// selected, or the boolean that it computes.
func (x *XPath) Each(r *Response, yield func(text string) bool) (truth bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			truth, err = false, fmt.Errorf("the query %q cannot be evaluated: %v", shorten(x.source, 60), p)
		}
	}()
	root, err := x.navigator(r)
	if err != nil {
		return false, err
	}
	compiled, err := x.compile()
	if err != nil {
		return false, err
	}
	switch v := compiled.Evaluate(root).(type) {
	case *xpath.NodeIterator:
		for v.MoveNext() {
			truth = true
			if !yield(v.Current().Value()) {
				break
			}
		}
	case bool:
		truth = v
		yield(strconv.FormatBool(v))
	case float64:
		truth = v != 0 && v == v
		yield(strconv.FormatFloat(v, 'f', -1, 64))
	case string:
		truth = v != ""
		if truth {
			yield(v)
		}
	}
	return truth, nil
}

func (x *XPath) navigator(r *Response) (xpath.NodeNavigator, error) {
	if x.html {
		root, err := r.htmlTree()
		if err != nil {
			return nil, err
		}
		return htmlquery.CreateXPathNavigator(root), nil
	}
	root, err := r.xmlTree()
	if err != nil {
		return nil, err
	}
	return xmlquery.CreateXPathNavigator(root), nil
}

func (x *XPath) find(r *Response, limit int, h *hits) error {
	_, err := x.Each(r, func(text string) bool {
		h.add(text)
		return len(h.values) < limit
	})
	return err
}

// CSS is a compiled CSS selector. It is immutable and shared by all users.
type CSS struct {
	source    string
	selector  cascadia.SelectorGroup
	attribute string // "" is the text
}

// CompileCSS compiles a selector; attribute names what is taken of each element, "" its text.
func CompileCSS(text, attribute string) (*CSS, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the selector is empty")
	}
	selector, err := cascadia.ParseGroup(text)
	if err != nil {
		return nil, err
	}
	return &CSS{source: text, selector: selector, attribute: attribute}, nil
}

// Source returns the selector as written.
func (s *CSS) Source() string { return s.source }

// Each calls yield with the text or attribute of every element that is selected, until it returns
// false. Elements without the attribute are left out; white space in texts is folded.
func (s *CSS) Each(r *Response, yield func(text string) bool) error {
	root, err := r.htmlTree()
	if err != nil {
		return err
	}
	for _, node := range cascadia.QueryAll(root, s.selector) {
		text, ok := s.take(node)
		if ok && !yield(text) {
			break
		}
	}
	return nil
}

func (s *CSS) take(node *html.Node) (string, bool) {
	if s.attribute == "" {
		return strings.Join(strings.Fields(htmlquery.InnerText(node)), " "), true
	}
	for _, attribute := range node.Attr {
		if strings.EqualFold(attribute.Key, s.attribute) {
			return attribute.Val, true
		}
	}
	return "", false
}

func (s *CSS) find(r *Response, limit int, h *hits) error {
	return s.Each(r, func(text string) bool {
		h.add(text)
		return len(h.values) < limit
	})
}
