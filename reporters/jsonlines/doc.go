// Package jsonlines tells a run as one JSON object per line: to a file, to stdout, or to a receiver
// over TCP or HTTP, as log shippers take them.
//
// The first line is the run, then come the traffic of each label, the load of each execution and the
// generator's health of each second, and events; the last line is the end. What a line is stands in
// its "type". A file is written as the run goes on, and a lost one is an error as with other
// reports; receivers have a queue and never hold the run up.
package jsonlines
