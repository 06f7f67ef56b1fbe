// Package nats is the bus of a distributed run over the network: a NATS server inside the controller, and agents that connect to it.
//
// It is the only room that imports NATS. On loopback the connection is plain; on any other address it is TLS with a certificate that
// the controller makes for its run, or keeps in a file, whose fingerprint is part of the address that agents join. All of them need
// the run's token, and each may only speak for itself.
package nats
