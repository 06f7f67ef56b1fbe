package main

import (
	"bytes"
	"io"
)

// standardLog passes on what the standard library logs by itself. Its HTTP client complains there of a server that sends more
// than it announced; a receiver of metrics that does so would fill the terminal, each time with what it sent.
type standardLog struct{ to io.Writer }

var unsolicited = []byte("Unsolicited response received on idle HTTP channel")

// Write implements io.Writer; it gets a whole line.
func (l standardLog) Write(line []byte) (int, error) {
	if bytes.Contains(line, unsolicited) {
		return len(line), nil
	}
	return l.to.Write(line)
}
