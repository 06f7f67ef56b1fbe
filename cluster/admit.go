package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

func (c *Controller) member(id string) *member {
	for _, m := range c.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// longestName is how many characters of what an agent calls itself are kept.
const longestName = 100

// plain takes out of a text of an agent what a terminal would obey instead of showing it.
func plain(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, text)
}

// plainName is a name that an agent gave, in one short line; never empty.
func plainName(name string) string {
	letters := []rune(strings.TrimSpace(strings.ReplaceAll(plain(name), "\n", " ")))
	if len(letters) == 0 {
		return "unknown"
	}
	return string(letters[:min(len(letters), longestName)])
}

// mostRefused is how many refusals are told of at most.
const mostRefused = 100

// admit lets an agent take part, or says why not. The lock is held.
func (c *Controller) admit(m *member, id string, h hello) {
	if m != nil { // the answer was lost
		m.heard = time.Now()
		c.send(m, kindWelcome, welcome{m.name}, nil)
		return
	}
	h.Name, h.Host, h.System, h.Version = plainName(h.Name), plainName(h.Host), plainName(h.System), plain(h.Version)
	reason, full := "", false
	switch {
	case h.Protocol != Protocol || h.Version != c.opts.Version:
		reason = fmt.Sprintf("it is version %s and the controller is version %s: install the same on all machines", h.Version, c.opts.Version)
	case c.bundle != nil || len(c.members) >= c.opts.Agents:
		reason, full = fmt.Sprintf("the run has all its %d agents", c.opts.Agents), true
	}
	if reason != "" {
		_ = c.hub.Send(id, message(kindRefuse, refuse{reason, full}, nil)) // it says hello again
		// One that stays asks again and again, over a connection of its own each time.
		text := fmt.Sprintf("agent %s (%s) is refused: %s", h.Name, h.Host, reason)
		if !c.refused[text] && len(c.refused) < mostRefused {
			c.refused[text] = true
			c.say(text)
		}
		return
	}
	m = &member{id: id, name: c.freeName(h.Name), hello: h, heard: time.Now(), over: map[string]bool{}, ticks: map[uint64]bool{}, last: -1}
	c.members = append(c.members, m)
	c.send(m, kindWelcome, welcome{m.name}, nil)
	c.say(fmt.Sprintf("agent %d of %d has joined: %s (%s, %s, %d processors)", len(c.members), c.opts.Agents, m.name, h.Host, h.System, h.Cores))
	c.notify()
}

// freeName keeps names apart: several agents may run on one host.
func (c *Controller) freeName(name string) string {
	free := name
	for n := 2; slices.ContainsFunc(c.members, func(m *member) bool { return m.name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// remove forgets an agent that has no share yet. The lock is held.
func (c *Controller) remove(m *member, why string) {
	c.members = slices.DeleteFunc(c.members, func(o *member) bool { return o == m })
	c.say(m.label() + " " + why)
}
