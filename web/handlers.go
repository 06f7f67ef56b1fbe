package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/jsonbody"
)

// handler is the table of what the page answers.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /style.css", asset("style.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /script.js", asset("script.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /api/live", s.live)
	mux.HandleFunc("GET /api/state", s.tellState)
	mux.HandleFunc("GET /api/settings", s.tellSettings)
	mux.HandleFunc("GET /api/runs", s.tellRuns)
	mux.HandleFunc("GET /api/log/{id}", s.tellLog)
	mux.HandleFunc("GET /runs/{id}/{file}", s.download)
	mux.HandleFunc("POST /api/start", s.start)
	mux.HandleFunc("POST /api/check", s.check)
	mux.HandleFunc("POST /api/control", s.control)
	mux.HandleFunc("POST /api/stop", s.stop)
	return s.guard(mux)
}

func asset(name, kind string) http.HandlerFunc {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(text) // a viewer who has gone needs no answer
	}
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	t, err := template.ParseFS(assets, "assets/page.html.tmpl")
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = t.Execute(w, map[string]any{
		"Name": s.options.Name, "Version": s.options.Version, "Secret": s.secret, "Start": s.options.Start, "Columns": labelColumns(), "AgentColumns": agentColumns(),
	})
}

// beat is how often a stream says that it is alive, so that a dead connection shows on both sides.
const beat = 15 * time.Second

// live streams states: the newest one at once, then each as it comes. A browser that lost the stream comes back by itself.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	states, ok := s.hub.join()
	if !ok {
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d pages look on already", maxViewers))
		return
	}
	defer s.hub.leave(states)
	stream := http.NewResponseController(w)
	_ = stream.SetReadDeadline(time.Time{}) // the server's is for requests that end
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	send := func(text string) bool {
		// A viewer that takes nothing for so long is gone.
		_ = stream.SetWriteDeadline(time.Now().Add(2 * beat))
		if _, err := w.Write([]byte(text)); err != nil {
			return false
		}
		return stream.Flush() == nil
	}
	if !send("retry: 1000\n\n") {
		return
	}
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for {
		select {
		case text := <-states:
			if !send("data: " + string(text) + "\n\n") {
				return
			}
		case <-alive.C:
			if !send(": alive\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.closing:
			select {
			case text := <-states: // the last word
				send("data: " + string(text) + "\n\n")
			default:
			}
			send("event: bye\ndata: {}\n\n")
			return
		}
	}
}

func (s *Server) tellState(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, s.hub.current())
}

func (s *Server) tellSettings(w http.ResponseWriter, _ *http.Request) {
	file, found := s.options.Runner.Load(nil)
	answer(w, http.StatusOK, map[string]any{"settings": settingsOf(s.options.Name, file), "diagnostics": found, "start": s.options.Start})
}

// order is the body of a start: the overrides, as -o takes them.
type order struct {
	Overrides []string `json:"overrides"`
}

func (s *Server) check(w http.ResponseWriter, r *http.Request) {
	var o order
	if !read(w, r, &o) {
		return
	}
	_, found := s.options.Runner.Load(o.Overrides)
	answer(w, http.StatusOK, map[string]any{"ok": !found.HasErrors(), "diagnostics": found})
}

func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	var o order
	if !read(w, r, &o) {
		return
	}
	if !s.options.Start {
		refuse(w, http.StatusForbidden, "this page only shows a run; \"stacrun ui FILE\" starts them")
		return
	}
	found, err := s.begin(o.Overrides)
	switch {
	case err != nil:
		refuse(w, http.StatusConflict, err.Error())
	case found.HasErrors():
		answer(w, http.StatusUnprocessableEntity, map[string]any{"ok": false, "error": "the settings cannot be run", "diagnostics": found})
	default:
		answer(w, http.StatusOK, map[string]any{"ok": true, "diagnostics": append(diag.List{}, found...)})
	}
}

// change is the body of a change of the load.
type change struct {
	Execution   string   `json:"execution"`
	Concurrency *int     `json:"concurrency"`
	ArrivalRate *float64 `json:"arrival_rate"`
	Do          string   `json:"do"` // "load", "pause", "resume" or "stop"
}

func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	var c change
	if !read(w, r, &c) {
		return
	}
	command := Command{Execution: c.Execution}
	switch c.Do {
	case "load":
		if (c.Concurrency == nil) == (c.ArrivalRate == nil) {
			refuse(w, http.StatusBadRequest, "a change of the load has users, or arrivals")
			return
		}
		command.Users, command.Rate = c.Concurrency, c.ArrivalRate
	case "pause":
		command.Pause = true
	case "resume":
		command.Resume = true
	case "stop":
		command.Stop = true
	default:
		refuse(w, http.StatusBadRequest, fmt.Sprintf("there is no command %q", c.Do))
		return
	}
	if err := s.options.Runner.Control(command); err != nil {
		refuse(w, http.StatusConflict, err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"ok": true})
}

func (s *Server) stop(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	if !running {
		refuse(w, http.StatusConflict, "no run is under way")
		return
	}
	s.options.Runner.Stop("stopped on the page")
	answer(w, http.StatusOK, map[string]any{"ok": true})
}

// read decodes a small JSON body, or refuses it.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	code, err := jsonbody.Read(w, r, 64<<10, into)
	if err != nil {
		refuse(w, code, "the body is not understood: "+err.Error())
	}
	return err == nil
}

func refuse(w http.ResponseWriter, code int, text string) {
	answer(w, code, map[string]any{"ok": false, "error": text})
}

func answer(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) // a viewer who has gone needs no answer
}
