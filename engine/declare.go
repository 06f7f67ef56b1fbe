package engine

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// declarer finds all names and texts of an execution before any text is compiled: whether "${a-b}" is one
// variable or a subtraction depends on what has been declared.
type declarer struct {
	c     *compiler
	chain []string // included scenarios that lead here; recursion is reported when steps are compiled
}

func (d *declarer) scenario(s *config.Scenario) {
	if slices.Contains(d.chain, s.Name) {
		return
	}
	d.chain = append(d.chain, s.Name)
	defer func() { d.chain = d.chain[:len(d.chain)-1] }()
	d.texts(s.DefaultAddress)
	d.variables(s.Variables)
	for i := range s.DataSources {
		if src := d.c.source(&s.DataSources[i]); src != nil {
			for _, column := range src.columns {
				d.c.names.Declare(column)
				if !d.c.assigned[column] {
					d.c.columns[column] = "a row is drawn for each iteration of a user"
				}
			}
		}
	}
	d.settings(&s.Defaults)
	for i := range s.Cookies {
		d.texts(s.Cookies[i].Name, s.Cookies[i].Value, s.Cookies[i].Domain, s.Cookies[i].Path)
	}
	for i := range s.Authorization {
		a := &s.Authorization[i]
		d.texts(a.URL, a.Domain, a.Name, a.Password, a.Realm, a.Token, a.ClientID, a.ClientSecret, a.TokenURL, a.Scope, a.Region, a.Service, a.AccessKey, a.SecretKey)
	}
	d.asserts(s.Asserts)
	d.extractors(s.Extractors)
	d.steps(s.Setup)
	d.steps(s.Requests)
	for i := range s.Tasks {
		d.steps(s.Tasks[i].Requests)
	}
	d.steps(s.Teardown)
}

// assigned declares a variable that gets its value in another way than from a row.
func (d *declarer) assigned(name string) {
	d.c.names.Declare(name)
	d.c.assigned[name] = true
	delete(d.c.columns, name)
}

func (d *declarer) texts(texts ...config.Text) {
	for _, t := range texts {
		d.c.templates.Declare(t.Value)
	}
}

func (d *declarer) tree(n *config.Node) {
	if n == nil {
		return
	}
	d.c.templates.Declare(n.Text)
	for i := range n.Entries {
		d.c.templates.Declare(n.Entries[i].Key)
		d.tree(n.Entries[i].Value)
	}
	for _, item := range n.Items {
		d.tree(item)
	}
}

func (d *declarer) variables(list []config.Variable) {
	for _, v := range list {
		d.assigned(v.Name)
		if v.Value != nil && v.Value.Kind == config.Sequence {
			d.c.names.DeclarePrefix(v.Name)
			d.c.lists[v.Name] = true
		}
		if v.Value != nil && v.Value.Kind == config.Scalar && strings.Contains(v.Value.Text, "${") {
			d.c.lists[v.Name] = true // an expression may give one
		}
		d.tree(v.Value)
	}
}

func (d *declarer) settings(s *config.RequestSettings) {
	for i := range s.Headers {
		d.texts(s.Headers[i].Value)
	}
	d.texts(s.ThinkTime.V.Template, s.ContentEncoding, s.Host, s.ResourcesRegex)
}

func (d *declarer) asserts(list []config.Assert) {
	for i := range list {
		d.texts(list[i].Patterns...)
		d.texts(list[i].Query, list[i].Expected)
	}
}

func (d *declarer) extractors(list []config.Extractor) {
	for i := range list {
		x := &list[i]
		d.assigned(x.Variable)
		d.c.names.DeclarePrefix(x.Variable)
		d.c.lists[x.Variable] = true
		d.texts(x.Query, x.Left, x.Right)
	}
}

func (d *declarer) steps(list []config.Step) {
	for _, s := range list {
		switch s := s.(type) {
		case *config.Request:
			d.texts(s.Label, s.URL, s.Method, s.Condition, s.Body.Text, s.Body.FileTemplate)
			d.tree(s.Body.Tree)
			for i := range s.Body.Form {
				d.texts(s.Body.Form[i].Name, s.Body.Form[i].Value)
			}
			d.settings(&s.Settings)
			d.asserts(s.Asserts)
			d.extractors(s.Extractors)
		case *config.If:
			d.texts(s.Condition)
			d.steps(s.Then)
			d.steps(s.Else)
		case *config.Loop:
			d.texts(s.Count)
			d.steps(s.Do)
		case *config.While:
			d.texts(s.Condition)
			d.steps(s.Do)
		case *config.ForEach:
			d.c.names.Declare(s.Item)
			d.c.lists[s.Item] = true // of a list of lists
			d.steps(s.Do)
		case *config.Once:
			d.steps(s.Do)
		case *config.Transaction:
			d.texts(s.Label)
			d.steps(s.Do)
		case *config.Parallel:
			d.steps(s.Branches)
		case *config.Retry:
			d.steps(s.Do)
		case *config.Include:
			if inner := d.c.file.Scenario(s.Scenario); inner != nil {
				d.scenario(inner)
			}
		case *config.Action:
			d.texts(s.Pause)
		case *config.SetVariables:
			d.variables(s.Variables)
		}
	}
}
