// Package scenarios holds the scenario files that come with stacrun, and the files they need, as they stand in this folder.
// The command runs them by name where no file is given. It imports nothing.
package scenarios
