package engine

import "github.com/stacrun/stacrun/config"

// functionalLoad is what becomes of a load in functional mode: one user walks through the scenario, as often as iterations are
// written, else once for every row of its data, else once. everyRow: until the data ends.
func (c *compiler) functionalLoad(in *config.LoadShape) (out *config.LoadShape, everyRow bool) {
	out = &config.LoadShape{Iterations: in.Iterations, TotalIterations: in.TotalIterations, TotalRequests: in.TotalRequests, GracefulStop: in.GracefulStop}
	if out.Iterations.V > 0 || out.TotalIterations.V > 0 || out.TotalRequests.V > 0 {
		return out, false
	}
	for _, s := range c.x.sources {
		everyRow = everyRow || !s.written.Loop
	}
	return out, everyRow
}
