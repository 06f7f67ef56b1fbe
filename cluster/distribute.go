package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Distribute gives each agent its share of the plan and waits until all have understood it.
func (c *Controller) Distribute(ctx context.Context, b *Bundle) error {
	c.mu.Lock()
	c.bundle, c.plan, c.pieces = b, b.marshal(), b.contents
	for i, m := range c.members {
		m.index = i
		c.send(m, kindPlan, planOf{Index: i, Of: len(c.members)}, c.plan)
	}
	c.mu.Unlock()
	var failed error
	err := c.wait(ctx, func() bool {
		if failed = c.unready(b); failed != nil {
			return true
		}
		return !slices.ContainsFunc(c.members, func(m *member) bool { return m.ready == nil })
	})
	return errors.Join(err, failed)
}

// unready is why the plan cannot be carried out by these agents. The lock is held.
func (c *Controller) unready(b *Bundle) error {
	if len(c.members) < c.opts.Agents {
		return fmt.Errorf("an agent went away before the load began: %d of %d are left", len(c.members), c.opts.Agents)
	}
	for _, m := range c.members {
		switch {
		case m.ready == nil:
		case m.ready.Error != "":
			return fmt.Errorf("%s cannot carry out the plan: %s", m.label(), m.ready.Error)
		case m.ready.Digest != b.Digest:
			return fmt.Errorf("%s understands the document differently: install the same program on all machines", m.label())
		}
	}
	return nil
}

// preflight has all agents look at the targets, as each would before a run of its own.
func (c *Controller) preflight(ctx context.Context) error {
	c.mu.Lock()
	c.looking = true
	for _, m := range c.members {
		c.send(m, kindLook, nil, nil)
	}
	c.mu.Unlock()
	err := c.wait(ctx, func() bool {
		return len(c.members) < c.opts.Agents || !slices.ContainsFunc(c.members, func(m *member) bool { return m.looked == nil })
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.members) < c.opts.Agents {
		return fmt.Errorf("an agent went away before the load began: %d of %d are left", len(c.members), c.opts.Agents)
	}
	for _, m := range c.members {
		if len(m.looked.Errors) > 0 {
			return fmt.Errorf("nothing was sent: %s: %s", m.label(), strings.Join(m.looked.Errors, "; "))
		}
		for _, text := range m.looked.Warnings {
			c.say(m.label() + ": " + text)
		}
	}
	return nil
}

// alive notes how far an agent is before the load begins. The lock is held.
func (c *Controller) alive(m *member, a alive) {
	if a.Ready != nil {
		a.Ready.Error = plain(a.Ready.Error)
		m.ready = a.Ready
	}
	if a.Looked != nil {
		for _, list := range [][]string{a.Looked.Errors, a.Looked.Warnings} {
			for i := range list {
				list[i] = plain(list[i])
			}
		}
		m.looked = a.Looked
	}
	switch {
	case c.bundle != nil && !a.Plan:
		c.send(m, kindPlan, planOf{Index: m.index, Of: len(c.members)}, c.plan)
	case c.looking && a.Ready != nil && a.Looked == nil:
		c.send(m, kindLook, nil, nil)
	}
}

// pieceSize is how much of a file one message carries, in bytes.
const pieceSize = 1 << 20

// give sends an agent a piece of a file of the bundle, and of no other. The lock is held.
func (c *Controller) give(m *member, n need) {
	content, known := c.pieces[n.Hash]
	if !known || n.Offset < 0 || n.Offset > int64(len(content)) {
		return
	}
	end := min(n.Offset+pieceSize, int64(len(content)))
	c.send(m, kindPiece, piece{n.Hash, n.Offset, int64(len(content))}, content[n.Offset:end])
}
