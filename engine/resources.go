package engine

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/stacrun/stacrun/engine/extract"
	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// mostResources bounds those of one page.
const mostResources = 1000

// resources fetches what pages embed, several at once over connections of their own. Time, bytes and exchanges go into the page's
// sample, and a resource that fails fails the page; each has a sample of its own besides, under the page's label.
type resources struct {
	one   *request
	pool  int
	match *regexp.Regexp // nil: all
}

// fetch looks at the answer that the user has, and fetches what it embeds when it is a page.
func (p *resources) fetch(u *user, r *request, s *metrics.Sample) (fault metrics.Fault, text string) {
	kind, _ := wire.HeaderValue(u.resp.Head, "content-type")
	if name := strings.ToLower(string(kind)); s.Status != 200 || !strings.HasPrefix(name, "text/html") && !strings.HasPrefix(name, "application/xhtml+xml") {
		return metrics.NoFault, ""
	}
	list := p.find(u, r)
	if len(list) == 0 {
		return metrics.NoFault, ""
	}
	var kept []*extract.Response
	if r.keepParts {
		kept = make([]*extract.Response, len(list))
		u.parts.resources = kept
	}
	home, astray := *u.where(r), u.elsewhere
	next := 0 // whoever has the turn may touch it, the sample and the fault
	u.together(min(p.pool, len(list)), func(b *user) {
		b.scheduled = -1
		for next < len(list) && b.gate.open() {
			number, at := next, list[next]
			next++
			f, t := p.one.retrieve(b, at, astray || !at.sameHost(&home), func() {
				if kept != nil {
					kept[number] = b.keepPart(p.one, u.parts)
				}
			})
			if fault == metrics.NoFault || f == metrics.FaultInterrupted {
				if fault, text = f, t; f != metrics.NoFault {
					text = at.String() + ": " + t
				}
			}
			c := &b.sample
			s.BytesIn += c.BytesIn
			s.BytesOut += c.BytesOut
			s.Exchanges += c.Exchanges
			s.End = max(s.End, c.End)
		}
	})
	if next < len(list) && fault == metrics.NoFault {
		return metrics.FaultInterrupted, "interrupted"
	}
	return fault, text
}

// find lists the resources of the page, each once.
func (p *resources) find(u *user, r *request) (list []location) {
	view := extract.Response{Head: u.resp.Head, Body: u.plainBody()}
	base, links := view.Resources()
	from := *u.where(r)
	if base != "" {
		if l, err := from.resolve(base); err == nil {
			from = l
		}
	}
	seen := map[location]bool{}
	for _, link := range links {
		l, err := from.resolve(link) // not of data:, blob:, javascript: …
		if err != nil || seen[l] || p.match != nil && !p.match.MatchString(l.String()) {
			continue
		}
		seen[l] = true
		if list = append(list, l); len(list) == mostResources {
			u.run.engine.warnOnce(fmt.Sprintf("a page embeds %d resources or more: no more than those are fetched", mostResources))
			break
		}
	}
	return list
}

// retrieve fetches one resource, and calls answered while its answer is there. b.sample is empty afterwards when the cache had it.
// What lies elsewhere, at another origin than the file asked, gets neither authorization nor cookies that the file writes.
func (r *request) retrieve(b *user, at location, elsewhere bool, answered func()) (fault metrics.Fault, text string) {
	s := &b.sample
	counted, err := r.start(b, s, 0)
	b.goes(&at)
	b.elsewhere = elsewhere
	var lines []byte
	if err == nil {
		lines, err = r.headerText.Append(nil, &b.ctx)
	}
	lines = withoutHeaders(lines, "content-type")
	if elsewhere {
		lines = withoutHeaders(lines, "authorization", "cookie")
	}
	if err == nil && r.caches && b.cache.any() && b.stillFresh(&at, lines) {
		*s = metrics.Sample{}
		return metrics.NoFault, ""
	}
	var conn Connection
	if err == nil {
		conn, err = b.connectionTo(&b.last, &r.linkTLS)
	}
	if err == nil {
		b.fresh(r)
		through := b.run.engine.plan.proxy
		b.head = append(append(append(append(b.head[:0], "GET "...), through.origin(&at)...), at.target...), " HTTP/1.1\r\nHost: "...)
		b.head = append(append(append(b.head, at.authority()...), "\r\n"...), through.credentials(&at)...)
		b.head = append(b.head, lines...)
		if r.caches && b.cache.any() {
			b.head = b.addConditions(b.head, &at, lines)
		}
		b.head, err = r.addAuth(b, b.head)
	}
	if err != nil {
		b.stampNow(s)
		b.finish(r, s, metrics.FaultTemplate, err.Error(), counted)
		return metrics.FaultTemplate, err.Error()
	}
	if r.cookies && !r.userCookies {
		b.head = b.addCookies(b.head, &at)
	}
	b.head = append(b.head, "\r\n"...)
	b.req.Head, b.req.Body = b.head, nil
	b.exchange(conn, &b.req)
	b.stamp(s, true)
	if fault, text = r.settle(b, s, &b.req, lines); fault == metrics.NoFault && !r.success.has(int(s.Status)) {
		fault, text = metrics.FaultStatus, statusText(int(s.Status))
	}
	if s.Status > 0 {
		answered()
	}
	b.finish(r, s, fault, text, counted)
	b.resp.Release()
	return fault, text
}
