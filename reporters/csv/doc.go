// Package csv writes figures for spreadsheets: totals per label, and a time line with a row per
// second and label. Its columns have units in their names and are a contract: some may be added at
// the end, none renamed.
package csv
