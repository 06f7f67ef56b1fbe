package scenarios

import "embed"

// Files are the scenario files by their name in this folder.
//
//go:embed *.yml
var Files embed.FS

// SeedParity is the name of the workload that benchmark runs without a file.
const SeedParity = "seed-parity.yml"
