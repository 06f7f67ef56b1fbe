// Package final prints what a run came to: the final-stats tables, Taurus' dump files, and the
// verdict, which is the last thing on stdout.
package final
