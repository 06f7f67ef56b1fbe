// Package cluster carries one run out in several processes: a controller and agents that join it over a bus.
//
// [Pack] records everything that a document was made of, so that an agent can make the same plan from what it is sent alone.
// A [Controller] waits for agents, gives each a share of the load, and is then a source of intervals like an engine: it has an
// engine of its own that does what is done once (the order of executions, prepare, finish), merges what the agents
// send by second, and says who was lost. [Serve] is an agent: it makes the plan, runs its share on the controller's
// clock and sends an interval a second, in the encoding of the interval log.
//
// What goes over the bus stands in message.go. A bus only carries messages ([Hub], [Link]); the room cluster/nats is one over the
// network, so that nobody else compiles it. Nothing is judged or written here.
package cluster
