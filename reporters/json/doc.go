// Package json writes summary.json, the machine-readable result of a run. Its fields are a
// contract: some may be added, none renamed.
package json
