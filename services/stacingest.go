package services

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/stacrun/stacrun/stac/item"
)

// stacIngest creates a collection and its items before the load, and fails the run when any is missing.
type stacIngest struct {
	base
	options ingest.Options
	items   func() (ingest.Source, error)
	env     Env
}

func newStacIngest(module config.Module, env Env) (Service, diag.List) {
	env = env.withDefaults()
	o := options{module: module}
	s := &stacIngest{base: base{module.Name}, env: env}
	s.options = ingest.Options{
		Address: o.text("api-address", env.Address), Collection: o.text("collection", item.DefaultCollection),
		Parallel: o.count("parallel", ingest.DefaultParallel, 1), Wait: o.duration("wait", 30*time.Second),
		Timeout: o.duration("timeout", 30*time.Second), Header: http.Header{},
	}
	for name, value := range o.pairs("headers") {
		s.options.Header.Set(name, value)
	}
	if n := module.Options.Get("bulk"); n != nil && n.Kind != config.Null && n.String() != "auto" {
		use, ok := n.Bool()
		if !ok {
			o.fail("bulk", n, "bulk %q of stac-ingest is neither true, false nor auto", n.String()).WithHint("leave it out: bulk is used where the API offers it")
		}
		s.options.NoBulk = !use
	}
	if s.options.Address == "" {
		o.faults.Errorf("no-address", module.Pos, module.Path, "stac-ingest knows no API to fill").
			WithHint("write api-address, or a default-address in the scenario")
	}
	key := "count"
	if module.Options.Get("items") != nil {
		key = "items"
	}
	s.items = o.source(env, key, item.DefaultCount, s.options.Collection, 1)
	return s, o.faults
}

// Prepare ingests.
func (s *stacIngest) Prepare(ctx context.Context, _ string) error {
	source, err := s.items()
	if err != nil {
		return err // whoever runs services names this one
	}
	report, err := ingest.Run(ctx, source, s.options)
	if err != nil {
		return err // whoever runs services names this one
	}
	s.env.Log.Info("ingest done", "report", report.String())
	if report.OK() {
		return nil
	}
	if err := report.WriteErrors(s.env.Output); err != nil {
		return err
	}
	return errors.New(report.String())
}
