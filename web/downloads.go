package web

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// maxLog is how much of the end of a log is shown, in bytes.
const maxLog = 64 << 10

// document is a file that can be had of every run.
type document struct{ form, kind string }

// documents are the files by name.
func documents() map[string]document {
	return map[string]document{
		"report.html":  {"html", "text/html; charset=utf-8"},
		"report.md":    {"markdown", "text/markdown; charset=utf-8"},
		"totals.csv":   {"csv", "text/csv; charset=utf-8"},
		"timeline.csv": {"timeline", "text/csv; charset=utf-8"},
		"junit.xml":    {"junit", "application/xml; charset=utf-8"},
		"summary.json": {"json", "application/json"},
	}
}

// download renders a run from its interval log: ?save=1 names it as a file to keep, ?before=ID sets another run beside it.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	id, file, before := r.PathValue("id"), r.PathValue("file"), r.URL.Query().Get("before")
	doc, known := documents()[file]
	if !known {
		refuse(w, http.StatusNotFound, "there is no "+file+" of a run")
		return
	}
	for _, name := range []string{id, before} {
		if name != "" && !s.listed(w, name) {
			return
		}
	}
	var text bytes.Buffer // as a whole, so that an error is not half a file
	if err := s.options.Runner.Render(&text, doc.form, id, before); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", doc.kind)
	// What a run has left is shown without the rights of this page.
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts allow-modals")
	if r.URL.Query().Get("save") != "" {
		w.Header().Set("Content-Disposition", `attachment; filename="`+safe(id)+"-"+file+`"`)
	}
	_, _ = w.Write(text.Bytes()) // a viewer who has gone needs no answer
}

// listed refuses a run that is not among those that are kept: no name leads out of the folder.
func (s *Server) listed(w http.ResponseWriter, id string) bool {
	list, err := s.options.Runner.Past()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return false
	}
	if !slices.ContainsFunc(list, func(p Past) bool { return p.ID == id }) {
		refuse(w, http.StatusNotFound, "there is no run "+id)
		return false
	}
	return true
}

// safe leaves what every file system takes.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
}

func (s *Server) tellRuns(w http.ResponseWriter, _ *http.Request) {
	list, err := s.options.Runner.Past()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"runs": append([]Past{}, list...)})
}

func (s *Server) tellLog(w http.ResponseWriter, r *http.Request) {
	if !s.listed(w, r.PathValue("id")) {
		return
	}
	var text bytes.Buffer
	if err := s.options.Runner.Log(&text, r.PathValue("id"), maxLog); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write(text.Bytes())
}
