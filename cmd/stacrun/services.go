package main

import (
	"io"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/services"
	"github.com/stacrun/stacrun/session"
)

// services makes the services of a file for the session, which does not know them.
func (a *app) services(file *config.File) ([]session.Service, diag.List) {
	output := io.Discard
	if !a.Quiet {
		output = a.aside.Unhurried()
	}
	built, found := services.Build(file, services.Env{NoExec: a.NoExec, Output: output})
	list := make([]session.Service, 0, len(built))
	for _, service := range built {
		list = append(list, service)
	}
	return list, found
}
