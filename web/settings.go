package web

import (
	"path/filepath"
	"strconv"

	"github.com/stacrun/stacrun/config"
)

// settings is what the start page offers to change.
type settings struct {
	Name   string   `json:"name"`
	Files  []string `json:"files"`
	Groups []group  `json:"groups"`
}

// group is an execution, or what holds for all.
type group struct {
	Title  string  `json:"title"`
	Note   string  `json:"note"`
	Fields []field `json:"fields"`
}

// field is one value of the document. What is changed becomes the override Path=value.
type field struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Value string `json:"value"` // as the document has it; "" when it is not written
	Hint  string `json:"hint"`
}

// settingsOf reads from a document what people want to change most.
func settingsOf(name string, file *config.File) settings {
	s := settings{Name: name}
	for _, input := range file.Inputs {
		s.Files = append(s.Files, filepath.Base(input.Name))
	}
	for i := range file.Executions {
		x := &file.Executions[i]
		g := group{Title: x.Name, Note: "virtual users"}
		fields := closedFields()
		if x.Load.ArrivalRate.Set {
			g.Note, fields = "arrivals", openFields()
		}
		if len(x.Load.Stages) > 0 {
			g.Note, fields = "stages of the file; levels can be changed while it runs", nil
		}
		node := file.Document.At("execution", strconv.Itoa(i))
		for _, f := range fields {
			f.Path = x.Path + "." + f.Name
			f.Value = written(node, f.Name)
			g.Fields = append(g.Fields, f)
		}
		s.Groups = append(s.Groups, g)
	}
	common := group{Title: "Target and seed"}
	for _, scenario := range file.Scenarios {
		if scenario.DefaultAddress.Value != "" && scenario.Path != "" {
			common.Fields = append(common.Fields, field{
				Path: scenario.Path + ".default-address", Name: "default-address of " + scenario.Name, Value: scenario.DefaultAddress.Value, Hint: "http://host:port",
			})
		}
	}
	seed := ""
	if file.Settings.Seed.Set {
		seed = strconv.FormatUint(file.Settings.Seed.V, 10)
	}
	common.Fields = append(common.Fields, field{Path: "settings.seed", Name: "seed", Value: seed, Hint: "another each run"})
	s.Groups = append(s.Groups, common)
	return s
}

func closedFields() []field {
	return []field{
		{Name: "concurrency", Hint: "users"}, {Name: "ramp-up", Hint: "such as 30s"}, {Name: "hold-for", Hint: "such as 5m"},
		{Name: "iterations", Hint: "per user"}, {Name: "throughput", Hint: "requests/s at most"},
	}
}

func openFields() []field {
	return []field{
		{Name: "arrival-rate", Hint: "iterations per second"}, {Name: "ramp-up", Hint: "such as 30s"}, {Name: "hold-for", Hint: "such as 5m"},
		{Name: "max-concurrency", Hint: "users at most"},
	}
}

// written is the text of a key, "" where there is none.
func written(node *config.Node, key string) string {
	if node == nil {
		return ""
	}
	value := node.Get(key)
	if value == nil || value.Kind != config.Scalar {
		return ""
	}
	return value.Text
}
