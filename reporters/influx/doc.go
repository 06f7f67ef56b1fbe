// Package influx writes the figures of each second to InfluxDB, in its line protocol over HTTP.
//
// Points are stamped with the beginning of their second, so that one that is sent twice replaces
// itself. Measurements are "stacrun_…"; what names a series is a tag, everything else a field whose
// name says its unit.
package influx
