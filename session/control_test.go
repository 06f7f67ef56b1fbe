package session

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters"
	"github.com/stacrun/stacrun/reporters/report"
)

// ask sends one request and gives status and body.
func ask(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

// told is a source that writes commands down.
type told struct {
	made
	commands []engine.Command
}

func (s *told) Control(c engine.Command) error {
	if c.Users != nil && *c.Users > 1000 {
		return fmt.Errorf("%w for so many", engine.ErrNoRoom)
	}
	s.commands = append(s.commands, c)
	return nil
}

func TestControlPort(t *testing.T) {
	c, err := listenControl("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	url := "http://" + c.address()
	if code, _ := ask(t, "POST", url+"/pause", ""); code != http.StatusConflict {
		t.Errorf("a command before the load: %d", code)
	}
	source := &told{}
	c.attach(source, []report.Execution{{Name: "closed"}, {Name: "open", Open: true}})
	users, rate := 7, 2.5
	tests := []struct {
		name, method, path, body string
		headers                  []string
		code                     int
		want                     []engine.Command
	}{
		{"users", "POST", "/load", `{"execution": "closed", "concurrency": 7}`, nil, 200, []engine.Command{{Execution: "closed", Users: &users}}},
		{"rate", "POST", "/load", `{"execution": "open", "arrival_rate": 2.5}`, nil, 200, []engine.Command{{Execution: "open", Rate: &rate}}},
		{"more than there is room for", "POST", "/load", `{"concurrency": 5000}`, nil, 422, nil},
		{"rate of users", "POST", "/load", `{"execution": "closed", "arrival_rate": 2.5}`, nil, 400, nil},
		{"both", "POST", "/load", `{"concurrency": 1, "arrival_rate": 2.5}`, nil, 400, nil},
		{"neither", "POST", "/load", `{}`, nil, 400, nil},
		{"misspelt", "POST", "/load", `{"users": 5}`, nil, 400, nil},
		{"a text for a number", "POST", "/load", `{"concurrency": "5"}`, nil, 400, nil},
		{"a part of a user", "POST", "/load", `{"concurrency": 1.5}`, nil, 400, nil},
		{"two commands", "POST", "/load", `{"concurrency": 5}{"concurrency": 6}`, nil, 400, nil},
		{"something behind it", "POST", "/load", `{"concurrency": 5} x`, nil, 400, nil},
		{"a list", "POST", "/load", `[5]`, nil, 400, nil},
		{"level of a pause", "POST", "/pause", `{"concurrency": 1}`, nil, 400, nil},
		{"pause of all", "POST", "/pause", "", nil, 200, []engine.Command{{Pause: true}}},
		{"resume", "POST", "/resume", `{"execution": "open"}`, nil, 200, []engine.Command{{Execution: "open", Resume: true}}},
		{"stop of one", "POST", "/stop", `{"execution": "open"}`, nil, 200, []engine.Command{{Execution: "open", Stop: true}}},
		{"unknown execution", "POST", "/pause", `{"execution": "nobody"}`, nil, 404, nil},
		{"wrong method", "GET", "/pause", "", nil, 405, nil},
		{"own origin", "POST", "/pause", "", []string{"Origin", url}, 200, []engine.Command{{Pause: true}}},
		{"page of another origin", "POST", "/pause", "", []string{"Origin", "http://evil.example"}, 403, nil},
		{"page without origin", "POST", "/pause", "", []string{"Origin", "null"}, 403, nil},
		{"name that points here", "GET", "/status", "", []string{"Host", "evil.example"}, 403, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			source.commands = nil
			code, body := ask(t, tt.method, url+tt.path, tt.body, tt.headers...)
			if code != tt.code {
				t.Errorf("status %d, want %d: %s", code, tt.code, body)
			}
			if strings.Contains(body, "Go ") || strings.Contains(body, "session.") {
				t.Errorf("the answer speaks of our code: %s", body)
			}
			if diff := cmp.Diff(tt.want, source.commands); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, address := range []string{"0.0.0.0:0", "192.0.2.1:7070", "7070", ":7070"} {
		if c, err := listenControl(address); err == nil {
			c.close()
			t.Errorf("%s was accepted", address)
		}
	}
}

// TestLoadIsChangedThroughTheControlPort runs a real engine: users are added, paused and stopped, and each change is an event.
func TestLoadIsChangedThroughTheControlPort(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(5 * time.Millisecond) }))
	defer server.Close()
	text := fmt.Sprintf("execution: {concurrency: 1, hold-for: 10m, scenario: s}\nscenarios: {s: {requests: [%q]}}\n", server.URL+"/")
	file, found := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "test.yml", Text: []byte(text)}}})
	var out strings.Builder
	p, more := Prepare(file, Options{Reporters: reporters.Options{Stdout: &out, Stderr: &out, Quiet: true}})
	if found.Add(more...); found.HasErrors() {
		t.Fatal(found)
	}
	dir := filepath.Join(t.TempDir(), "run")
	outcomes := make(chan *report.Outcome, 1)
	go func() {
		outcome, _ := Run(t.Context(), p, RunOptions{Dir: dir, Control: "127.0.0.1:0"})
		outcomes <- outcome
	}()
	url := "http://" + controlAddress(t, filepath.Join(dir, TextLogFile))
	status := func(until func(*controlStatus) bool) {
		for {
			_, body := ask(t, "GET", url+"/status", "")
			var s controlStatus
			if err := json.Unmarshal([]byte(body), &s); err != nil {
				t.Fatal(err)
			}
			if until(&s) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	status(func(s *controlStatus) bool { return s.Running && s.Requests.Finished > 0 && s.Executions[0].Users == 1 })
	if code, body := ask(t, "POST", url+"/load", `{"concurrency": 4}`); code != 200 {
		t.Error(body)
	}
	status(func(s *controlStatus) bool { return s.Executions[0].Users == 4 && s.Executions[0].Planned == 4 })
	ask(t, "POST", url+"/pause", "")
	status(func(s *controlStatus) bool { return s.Executions[0].Paused && s.Requests.LastSecond == 0 })
	ask(t, "POST", url+"/resume", "")
	status(func(s *controlStatus) bool { return !s.Executions[0].Paused && s.Requests.LastSecond > 0 })
	ask(t, "POST", url+"/stop", "")
	outcome := <-outcomes
	if outcome.ExitCode != ExitInterrupted || !strings.Contains(outcome.Reason, "control port") {
		t.Errorf("exit code %d: %s", outcome.ExitCode, outcome.Reason)
	}
	var events []string
	for _, e := range outcome.Snapshot.Events() {
		if e.Kind == "load" || e.Kind == "stop" {
			events = append(events, e.Text)
		}
	}
	if diff := cmp.Diff([]string{"s: 4 users", "s: paused", "s: resumed", "stopped through the control port"}, events); diff != "" {
		t.Error(diff)
	}
}

// controlAddress waits until the log names the port.
func controlAddress(t *testing.T, name string) string {
	pattern := regexp.MustCompile(`msg="control port" address=(\S+)`)
	for {
		text, _ := os.ReadFile(name)
		if m := pattern.FindSubmatch(text); m != nil {
			return string(m[1])
		}
		if t.Context().Err() != nil {
			t.Fatal("the control port was never opened")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
