// Package services starts and stops what a run needs beside the load itself: the embedded STAC API,
// the ingest of items, shell commands, archives to unpack.
//
// A service is an entry of `services:` in the document. [Table] holds all of them; session calls their
// stages in the order of the file: Prepare before the engine's preflight, Startup, Check each second
// while the run lasts, Shutdown, PostProcess. services reads config.Module and reports mistakes as
// diagnostics; the domain's work is done in stac.
package services
