// Package statsd sends the figures of each second to a StatsD server over UDP.
//
// Counts are counters, so that the server adds them up; percentiles are gauges in milliseconds,
// since a server can make none from figures that are summed up already. Names hold everything, or
// tags do where the server knows DogStatsD's. UDP tells of few losses; those it tells are counted.
package statsd
