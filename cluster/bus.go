package cluster

// MaxMessage is how long a message may be, in bytes: an interval with very many labels.
const MaxMessage = 32 << 20

// Packet is a message from an agent.
type Packet struct {
	From    string // that the agent joined as
	Message []byte
}

// Hub is the controller's end of a bus. Messages of one sender arrive in order; some may be lost, such as while an agent is
// connecting again.
type Hub interface {
	// Send gives a message to one agent, or to all when to is "". It does not wait for it to arrive.
	Send(to string, message []byte) error
	// Receive gives what agents send; it is closed by Close.
	Receive() <-chan Packet
	Close() error
}

// Link is an agent's end of a bus.
type Link interface {
	Send(message []byte) error
	// Receive gives what the controller sends; it is closed by Close, and when the controller has gone for good.
	Receive() <-chan []byte
	// Flush waits until what was sent has left the process.
	Flush() error
	Close() error
}
