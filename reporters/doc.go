// Package reporters is the table of all reporters: it turns the `reporting` modules of a file into
// reporters, and their options into settings, with the place of each mistake.
//
// Path: [config.Module] → [Build] → [report.Reporter]. Each reporter has a folder of its own; what
// they share is in reporters/report. Adding one is a folder and a line in [Table].
package reporters
