package session

import "context"

// Service is something that runs beside the load: an API to be tested, an ingest, a shell command.
//
// The stages are called in this order, services in the order of the file (backwards for Shutdown).
// Shutdown and PostProcess are called for every service whose Prepare was begun, also after errors.
type Service interface {
	Name() string
	Prepare(ctx context.Context, dir string) error // before the first request; dir is the artifacts folder
	Startup(ctx context.Context) error             // as the load starts
	Check(ctx context.Context) error               // every second; an error stops the run
	Shutdown(ctx context.Context) error            // as the load has ended
	PostProcess(ctx context.Context, exitCode int, reason string) error
}

// endingService is a service whose Shutdown wants to know how the run ended, such as shellexec, which
// hands it to its commands.
type endingService interface {
	Ending(exitCode int, reason string)
}
