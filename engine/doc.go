// Package engine turns a written file into a plan and burns the plan into samples.
//
// [Compile] resolves everything that a file leaves open: defaults, inheritance, includes, templates,
// checks, data. What comes out is a [Plan], immutable and complete: after the first request nothing
// is looked up by name, parsed or decided. [New] makes an [Engine] of it; [Engine.Start] runs one
// goroutine per virtual user, each walking the compiled steps as straight-line code, and hands back one
// [metrics.Interval] a second.
//
// There is one file per kind of step. Load shapes are arithmetic and live in engine/load; one timed
// exchange is engine/wire; texts with "${…}" are engine/template; data, extractors and checks have
// rooms of their own below engine. engine imports config, diag, metrics and those; it knows no
// reporter, no criterion and no service.
package engine
