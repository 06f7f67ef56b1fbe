// Package html writes a run as one page that needs nothing else: no network, no other file. It
// holds the verdict with each criterion's observed value beside its limit, time lines, distributions,
// figures per label, failures with examples, the slowest moments, events, and what the run was
// configured as; beside an earlier run, where one is given.
//
// Path: intervals → [charts.Timeline] and [Moments]; these with the outcome → [Data] → [Write]. The
// page is legible without script; the script adds hovering, zoom, sorting and filtering. Everything
// from outside is escaped by html/template or by reporters/charts. Figures come from metrics.
package html
