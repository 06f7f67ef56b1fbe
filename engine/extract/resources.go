package extract

import (
	"strings"

	nethtml "golang.org/x/net/html"
)

// Resources lists what a browser would fetch to show a page: images, scripts, styles, icons, frames and embedded objects, as they
// are written, in document order. base is the address that relative ones count from, "" for the page's own.
func (r *Response) Resources() (base string, links []string) {
	root, err := r.htmlTree()
	if err != nil {
		return "", nil
	}
	for n := range root.Descendants() {
		if n.Type != nethtml.ElementNode {
			continue
		}
		if n.Data == "base" && base == "" {
			base = strings.TrimSpace(attribute(n, "href"))
			continue
		}
		link := strings.TrimSpace(attribute(n, resourceAttribute(n)))
		if link != "" && !strings.HasPrefix(link, "#") {
			links = append(links, link)
		}
	}
	return base, links
}

// resourceAttribute is the attribute that names an element's resource; "" when it has none.
func resourceAttribute(n *nethtml.Node) string {
	switch n.Data {
	case "img", "script", "frame", "iframe", "embed", "bgsound", "audio", "video", "source", "track":
		return "src"
	case "input":
		if strings.EqualFold(attribute(n, "type"), "image") {
			return "src"
		}
	case "object":
		return "data"
	case "body", "table", "td", "th":
		return "background"
	case "link":
		for _, word := range strings.Fields(strings.ToLower(attribute(n, "rel"))) {
			switch word {
			case "stylesheet", "icon", "preload", "modulepreload", "manifest", "apple-touch-icon":
				return "href"
			}
		}
	}
	return ""
}

func attribute(n *nethtml.Node, name string) string {
	if name == "" {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}
