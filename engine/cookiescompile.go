package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// firstCookie is a cookie that every user begins with.
type firstCookie struct {
	name, value, domain, path *template.Template
	secure                    bool
}

func (c *compiler) cookies(s *config.Scenario) {
	for i := range s.Cookies {
		in := &s.Cookies[i]
		c.x.cookies = append(c.x.cookies, firstCookie{
			name: c.text(in.Name), value: c.text(in.Value), domain: c.text(in.Domain), path: c.text(in.Path), secure: in.Secure,
		})
	}
}

// firstCookies fills the jar of a new user.
func (x *running) firstCookies(u *user) *jar {
	j := new(jar)
	for i := range x.plan.cookies {
		c := &x.plan.cookies[i]
		var texts [4]string
		for k, t := range []*template.Template{c.name, c.value, c.domain, c.path} {
			text, err := t.Text(&u.ctx)
			if err != nil {
				x.engine.warnOnce("cookie: " + err.Error())
			}
			texts[k] = text
		}
		if strings.ContainsAny(texts[0]+texts[1], ";\r\n\x00") || texts[0] == "" {
			x.engine.warnOnce(fmt.Sprintf("cookie %q is left out: it has no name, or holds a line break or a semicolon", texts[0]))
			continue
		}
		if texts[3] == "" {
			texts[3] = "/"
		}
		if l, err := parseAuthority("http", trimDot(texts[2])); err == nil {
			texts[2] = l.host
		}
		j.store(cookie{name: texts[0], value: texts[1], domain: texts[2], path: texts[3], secure: c.secure}, time.Time{})
	}
	return j
}

func trimDot(s string) string {
	if len(s) > 0 && s[0] == '.' {
		return s[1:]
	}
	return s
}
