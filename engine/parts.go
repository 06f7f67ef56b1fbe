package engine

import (
	"slices"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/wire"
)

// part says which answers an extractor searches; JMeter's words are the main sample and its sub-samples.
type part uint8

const (
	mainPart  part = iota // the last answer
	childPart             // each answer of a request that took several: redirects, the last one, embedded resources
	allParts              // the last answer, then the others
)

// parts are the answers of a request besides its last one. They are copies, and kept only where an extractor asks for them.
type parts struct {
	redirects []*extract.Response
	resources []*extract.Response // in the order of the page; nil for those that did not come
	list      []*extract.Response // what an extractor searches
	wrong     error               // an answer that could not be decoded
}

// startParts forgets the answers of the request before.
func (u *user) startParts() {
	if u.parts == nil {
		u.parts = new(parts)
	}
	*u.parts = parts{list: u.parts.list[:0]}
}

// keepPart copies the answer that the user has.
func (u *user) keepPart(r *request, into *parts) *extract.Response {
	body, err := wire.Decode(u.resp.Coding, u.resp.Body, r.bodyLimit(), nil)
	if err != nil && into.wrong == nil {
		into.wrong = err
	}
	return &extract.Response{
		Status: u.resp.Status, Head: slices.Clone(u.resp.Head), Body: body,
		URL: u.where(r).String(), RequestHead: slices.Clone(u.sentHead),
	}
}

// bodyLimit is how many bytes of a body are kept, decoded or not.
func (r *request) bodyLimit() int {
	if r.wire.MaxBody == 0 {
		return wire.DefaultMaxBody
	}
	return r.wire.MaxBody
}

// searched lists the answers that an extractor looks at; last is the one that counts for everything else.
func (p *parts) searched(which part, last *extract.Response) []*extract.Response {
	p.list = p.list[:0]
	switch several := len(p.redirects)+len(p.resources) > 0; {
	case which == allParts:
		p.list = append(append(p.list, last), p.redirects...)
	case several:
		p.list = append(append(p.list, p.redirects...), last)
	}
	for _, one := range p.resources {
		if one != nil {
			p.list = append(p.list, one)
		}
	}
	return p.list
}

// scopes lets a request keep what its extractors search besides the last answer.
func (c *compiler) scopes(r *request, lists ...[]config.Extractor) {
	for _, x := range r.extractions {
		r.keepParts = r.keepParts || x.part != mainPart
	}
	if !r.keepParts {
		return
	}
	if r.resources != nil {
		one := &r.resources.one.wire
		one.KeepBody, one.MaxBody = r.wire.KeepBody, r.wire.MaxBody
	}
	if r.follow || r.resources != nil {
		return
	}
	for _, list := range lists {
		for _, x := range list {
			if x.Scope == "children" && c.firstAt(x.Pos) {
				c.list.Warnf("no-effect", x.Pos, x.Path, "scope \"children\": the request follows no redirect and fetches no resources, so that there is nothing to search").
					WithHint("remove scope, or write follow-redirects: true or retrieve-resources: true")
			}
		}
	}
}
