// Package session is one run: from a file that was read to an outcome.
//
// [Prepare] is the one place where a file is made ready: the plan is compiled, criteria meet the
// plan's labels, reporters and services are built. [Run] then owns the artifacts folder, starts the
// services and the load, writes the interval log, feeds judge and reporters, obeys the criteria and
// the interruptions, and says how it ended. [Replay] reads an earlier run from its interval log.
// A study calls Run many times; the command calls it once. What a session may not import (the
// services) is handed to it as a function.
package session
