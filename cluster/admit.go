package cluster

import (
	"fmt"
	"slices"
	"time"
)

func (c *Controller) member(id string) *member {
	for _, m := range c.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// admit lets an agent take part, or says why not. The lock is held.
func (c *Controller) admit(m *member, id string, h hello) {
	if m != nil { // the answer was lost
		m.heard = time.Now()
		c.send(m, kindWelcome, welcome{m.name}, nil)
		return
	}
	reason, full := "", false
	switch {
	case h.Protocol != Protocol || h.Version != c.opts.Version:
		reason = fmt.Sprintf("it is version %s and the controller is version %s: install the same on all machines", h.Version, c.opts.Version)
	case c.bundle != nil || len(c.members) >= c.opts.Agents:
		reason, full = fmt.Sprintf("the run has all its %d agents", c.opts.Agents), true
	}
	if reason != "" {
		_ = c.hub.Send(id, message(kindRefuse, refuse{reason, full}, nil)) // it says hello again
		if !c.refused[id] {
			c.refused[id] = true
			c.say(fmt.Sprintf("agent %s (%s) is refused: %s", h.Name, h.Host, reason))
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
