package engine

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/weigh"
)

// alone tells a process of this test that it is the one that weighs.
const alone = "STACRUN_WEIGH_PARKED"

// TestParkedUsersAreSmall holds some thousand users that wait, and weighs them: each case in a process of its own, since what the goroutines
// of other tests leave behind is used again.
func TestParkedUsersAreSmall(t *testing.T) {
	weigh.Exact(t)
	if testing.Short() {
		t.Skip("holds thousands of connections")
	}
	tests := []struct {
		name, requests string
		limit          float64 // bytes; a stack of twice the size does not fit
	}{
		{"waiting", "[/a]", 7 * 1024},
		{"thinking", "[/a, {action: pause, pause-duration: 10m}]", 7.5 * 1024},
		{"checking", `
    - url: /items/${__Random(1,1000)}?user=${__threadNum}
      assert: [{subject: http-code, contains: ["200"]}, {subject: body, contains: ['"platform":"sentinel-2b"']}]
      extract-jsonpath: {collection: $.collection, cover: "$.properties['eo:cloud_cover']"}`, 8.25 * 1024},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if os.Getenv(alone) == "" {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestParkedUsersAreSmall$/^"+tt.name+"$")
				cmd.Env = append(os.Environ(), alone+"=1")
				out, err := cmd.CombinedOutput()
				if t.Logf("%s", out); err != nil {
					t.Error(err)
				}
				return
			}
			perUser := weighParked(t, 2000, tt.requests)
			// The server's side of a connection is in the figure: some 0.4 kB.
			t.Logf("%.2f kB per user, the server's side included", perUser/1024)
			if perUser > tt.limit {
				t.Errorf("%.0f bytes per parked user, want at most %.0f", perUser, tt.limit)
			}
		})
	}
}

// weighParked gives the bytes that each of many users takes, once all of them have had an answer and wait for what never comes.
func weighParked(t *testing.T, users int, requests string) float64 {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const item = `{"collection":"s2","properties":{"platform":"sentinel-2b","eo:cloud_cover":12.5}}`
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(item), item)
	served := make(chan error)
	go func() {
		// One goroutine for all, as goroutines and buffers of the server would be weighed too. What comes after
		// the first request of a connection is not read.
		var held []net.Conn
		defer func() {
			for _, conn := range held {
				_ = conn.Close()
			}
		}()
		buf := make([]byte, 2048)
		for range users {
			conn, err := ln.Accept()
			if err == nil {
				held = append(held, conn)
				_, err = conn.Read(buf)
			}
			if err == nil {
				_, err = io.WriteString(conn, answer)
			}
			if err != nil {
				served <- err
				return
			}
		}
		served <- nil
		<-served
	}()
	plan := compile(t, fmt.Sprintf("execution: [{concurrency: %d, iterations: 2, scenario: s}]\nscenarios:\n  s:\n    default-address: 'http://%s'\n    timeout: 10m\n    requests: %s\n", users, ln.Addr(), requests))
	before := weigh.HeapAndStacks(t)
	e := New(plan, RunOptions{})
	out, err := e.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range out {
		}
	}()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // let the last ones park; nothing is asserted about time
	perUser := float64(weigh.HeapAndStacks(t)-before) / float64(users)
	e.Abort("weighed")
	<-e.done
	close(served)
	_ = ln.Close()
	return perUser
}
