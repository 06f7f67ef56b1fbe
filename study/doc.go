// Package study makes many runs of one document and says what they show together.
//
// A study is a list of overrides: a [Loader] loads the same document again with each of them, a [Runner] runs it,
// and what comes back is intervals, the same as of any run. [RunSweep] measures addresses and numbers of users one after
// another, [RunCompare] holds variants against each other in interleaved runs, [RunCapacity] searches for the highest load
// that holds objectives, [OpenRuns] and [Stored] read back runs that were kept, and [Diff] says where two sets of
// runs differ.
//
// It may import config, diag, metrics, stats, criteria and reporters/report. It knows no engine and no session: how a file
// is run is handed in, and so is what asks a backend for its answers ([Prober]). It prints nothing.
package study
