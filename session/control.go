package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/internal/jsonbody"
	"github.com/stacrun/stacrun/internal/origin"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// control is the port through which other programs of this machine look at a run and change its load:
//
//	GET  /status
//	POST /load    {"execution": NAME, "concurrency": N} or {"execution": NAME, "arrival_rate": PER_SECOND}
//	POST /pause   {"execution": NAME}; also /resume and /stop
//
// Without execution all of them are meant, and /stop ends the run as an interruption does. Whatever is changed is an event
// in the results. It listens on loopback only, and answers no page of another origin.
type control struct {
	listener net.Listener
	server   *http.Server
	stops    chan string
	serving  sync.WaitGroup

	mu         sync.Mutex // guards what follows
	source     Source     // nil: the load is not running
	executions []report.Execution
	paused     map[string]bool
	status     controlStatus
}

// controlStatus is the answer to GET /status; fields may be added, none renamed.
type controlStatus struct {
	Running    bool               `json:"running"`
	ElapsedS   int64              `json:"elapsed_s"` // of the load
	Requests   controlRequests    `json:"requests"`
	Executions []controlExecution `json:"executions"`
}

type controlRequests struct {
	Finished   int64   `json:"finished"`
	Failed     int64   `json:"failed"`
	LastSecond int64   `json:"last_second"` // finished in it
	P95MS      float64 `json:"p95_ms"`      // of the response time so far
}

type controlExecution struct {
	Name    string  `json:"name"`
	Model   string  `json:"model"`   // closed or open
	Planned float64 `json:"planned"` // users, or iterations per second
	Users   int64   `json:"users"`
	Dropped int64   `json:"dropped"` // iterations, so far
	Paused  bool    `json:"paused"`
}

// listenControl opens the port, so that a taken one shows before anything is sent.
func listenControl(address string) (*control, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("control port %q: write host and port, such as 127.0.0.1:7070", address)
	}
	if !origin.Loopback(host) {
		return nil, fmt.Errorf("control port %q: it only listens on loopback, such as 127.0.0.1:7070", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("control port: %w", err)
	}
	c := &control{listener: listener, stops: make(chan string, 1), paused: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", c.tell)
	for _, verb := range []string{"load", "pause", "resume", "stop"} {
		mux.HandleFunc("POST /"+verb, func(w http.ResponseWriter, r *http.Request) { c.command(w, r, verb) })
	}
	c.server = &http.Server{Handler: c.guard(mux), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 8 << 10}
	c.serving.Go(func() { _ = c.server.Serve(listener) }) // ends with close
	return c, nil
}

func (c *control) address() string { return c.listener.Addr().String() }

// close lets answers that are under way go out.
func (c *control) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	c.serving.Wait()
}

// attach names the source that commands go to; nil: there is none (any more).
func (c *control) attach(source Source, executions []report.Execution) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.source = source
	if executions != nil {
		c.executions = executions
	}
	c.status.Running = source != nil
}

// observe takes over what the status tells.
func (c *control) observe(interval *metrics.Interval, snapshot *metrics.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := snapshot.Total()
	status := controlStatus{Running: c.source != nil, ElapsedS: interval.Second + 1}
	status.Requests = controlRequests{Finished: total.Finished, Failed: total.Failed, P95MS: float64(total.Response.Quantile(95)) / 1e6}
	for i := range interval.Rows {
		if row := &interval.Rows[i]; row.Kind == metrics.RequestKind {
			status.Requests.LastSecond += row.Finished
		}
	}
	for _, load := range interval.Load {
		x := controlExecution{Name: load.Execution, Model: "closed", Planned: load.Planned, Users: load.Users}
		if load.Open {
			x.Model = "open"
		}
		for _, before := range c.status.Executions {
			if before.Name == load.Execution {
				x.Dropped = before.Dropped
			}
		}
		for _, n := range load.Dropped {
			x.Dropped += n
		}
		status.Executions = append(status.Executions, x)
	}
	c.status = status
}

// guard refuses pages of other origins, and names that a page could have made point here.
func (c *control) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, foreign := origin.Foreign(r)
		if !foreign && !origin.Loopback(origin.Named(r)) {
			who, foreign = "an unknown origin", true
		}
		if foreign {
			refuse(w, http.StatusForbidden, "this port only answers this machine's own programs, not pages of "+who)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, code int, text string) {
	answer(w, code, map[string]any{"ok": false, "error": text})
}

func answer(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) // a caller who has gone needs no answer
}

func (c *control) tell(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	status := c.status
	status.Executions = make([]controlExecution, 0, len(c.status.Executions))
	for _, x := range c.status.Executions {
		x.Paused = c.paused[x.Name]
		status.Executions = append(status.Executions, x)
	}
	c.mu.Unlock()
	answer(w, http.StatusOK, status)
}

// order is the body of a command.
type order struct {
	Execution   string   `json:"execution"`
	Concurrency *int     `json:"concurrency"`
	ArrivalRate *float64 `json:"arrival_rate"`
}

func (c *control) command(w http.ResponseWriter, r *http.Request, verb string) {
	var o order
	if code, err := jsonbody.Read(w, r, 4<<10, &o); err != nil && !errors.Is(err, jsonbody.ErrEmpty) {
		refuse(w, code, "the body is not a command: "+err.Error())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.source == nil {
		refuse(w, http.StatusConflict, "no load is running")
		return
	}
	code, err := c.obey(verb, &o)
	if err != nil {
		refuse(w, code, err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"ok": true})
}

// obey carries out a command. The lock is held.
func (c *control) obey(verb string, o *order) (code int, err error) {
	meant := c.meant(o.Execution)
	if len(meant) == 0 {
		return http.StatusNotFound, fmt.Errorf("there is no execution %q", o.Execution)
	}
	command := engine.Command{Execution: o.Execution}
	level := o.Concurrency != nil || o.ArrivalRate != nil
	switch {
	case verb != "load" && level:
		return http.StatusBadRequest, fmt.Errorf("/%s takes no level: send it to /load", verb)
	case verb == "load" && (o.Concurrency != nil) == (o.ArrivalRate != nil):
		return http.StatusBadRequest, errors.New("/load takes concurrency, or arrival_rate")
	}
	switch verb {
	case "load":
		command.Users, command.Rate = o.Concurrency, o.ArrivalRate
		for _, x := range meant {
			if o.ArrivalRate != nil && !x.Open {
				return http.StatusBadRequest, fmt.Errorf("execution %q has users, not arrivals: send concurrency", x.Name)
			}
		}
	case "pause":
		command.Pause = true
	case "resume":
		command.Resume = true
	case "stop":
		command.Stop = true
		if o.Execution == "" {
			select {
			case c.stops <- "stopped through the control port":
			default: // is stopping already
			}
			return 0, nil
		}
	}
	if err := c.source.Control(command); errors.Is(err, engine.ErrEnded) {
		return http.StatusConflict, err
	} else if errors.Is(err, engine.ErrNoRoom) {
		return http.StatusUnprocessableEntity, err
	} else if err != nil {
		return http.StatusBadRequest, err
	}
	for _, x := range meant {
		c.paused[x.Name] = command.Pause || c.paused[x.Name] && !command.Resume
	}
	return 0, nil
}

// meant lists the executions that a command names. The lock is held.
func (c *control) meant(name string) (list []report.Execution) {
	for _, x := range c.executions {
		if name == "" || x.Name == name {
			list = append(list, x)
		}
	}
	return list
}
