package cluster

import (
	"errors"
	"sync"
)

// Memory is a bus within one process.
type Memory struct {
	mu    sync.Mutex // guards what follows
	links map[string]*memoryLink
	up    chan Packet
	over  bool
}

// memoryQueue is how many messages wait at most; a bus that runs over loses some.
const memoryQueue = 4096

// NewMemory makes a bus.
func NewMemory() *Memory {
	return &Memory{links: map[string]*memoryLink{}, up: make(chan Packet, memoryQueue)}
}

var _ Hub = (*Memory)(nil)

var errBusClosed = errors.New("the bus is closed")

// Send implements [Hub].
func (m *Memory) Send(to string, message []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return errBusClosed
	}
	for id, link := range m.links {
		if to != "" && to != id || link.cut {
			continue
		}
		select {
		case link.down <- message:
		default:
		}
	}
	return nil
}

// Receive implements [Hub].
func (m *Memory) Receive() <-chan Packet { return m.up }

// Close implements [Hub]; agents see that the controller has gone.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return nil
	}
	m.over = true
	close(m.up)
	for id, link := range m.links {
		close(link.down)
		delete(m.links, id)
	}
	return nil
}

// Join makes the end of an agent.
func (m *Memory) Join(id string) (Link, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return nil, errBusClosed
	}
	link := &memoryLink{bus: m, id: id, down: make(chan []byte, memoryQueue)}
	m.links[id] = link
	return link, nil
}

// Cut loses all messages of an agent in both directions, as a broken network does, until it is mended.
func (m *Memory) Cut(id string, cut bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if link := m.links[id]; link != nil {
		link.cut = cut
	}
}

type memoryLink struct {
	bus  *Memory
	id   string
	down chan []byte
	cut  bool // guarded by bus.mu
}

func (l *memoryLink) Send(message []byte) error {
	l.bus.mu.Lock()
	defer l.bus.mu.Unlock()
	if l.bus.over || l.bus.links[l.id] != l {
		return errBusClosed
	}
	if l.cut {
		return nil
	}
	select {
	case l.bus.up <- Packet{From: l.id, Message: message}:
	default:
	}
	return nil
}

func (l *memoryLink) Receive() <-chan []byte { return l.down }
func (l *memoryLink) Flush() error           { return nil }

func (l *memoryLink) Close() error {
	l.bus.mu.Lock()
	defer l.bus.mu.Unlock()
	if l.bus.links[l.id] == l {
		delete(l.bus.links, l.id)
		close(l.down)
	}
	return nil
}
