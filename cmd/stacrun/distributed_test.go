package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/cluster"
	"github.com/stacrun/stacrun/cluster/nats"
)

// TestAgentOfAnotherVersion joins a controller of a newer program: both say so, and the agent ends with exit code 1.
func TestAgentOfAnotherVersion(t *testing.T) {
	hub, err := nats.Listen(nats.Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	said := make(chan string, 10)
	controller := cluster.NewController(hub, cluster.Options{Agents: 1, Version: "9.9", LostAfter: time.Minute, Say: func(text string) { said <- text }})
	defer controller.Close()
	stdout, stderr := temporary(t), temporary(t)
	code := run([]string{"agent", "--join", hub.Join().String(), "--name", "old"}, &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	text, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "it is version dev and the controller is version 9.9: install the same on all machines"; code != 1 || !strings.Contains(string(text), want) {
		t.Errorf("exit code %d, want 1 and %q:\n%s", code, want, text)
	}
	if got := <-said; !strings.HasPrefix(got, "agent old (") || !strings.Contains(got, "is refused: it is version dev") {
		t.Errorf("the controller said %q", got)
	}
}
