// Package wire makes one HTTP exchange and times it.
//
// A [Target] is a scheme, host and port that all users share: it resolves the name and makes connections
// in a bounded queue of dialers. A [Conn] is one user's keep-alive connection to one target; [Conn.Do] writes
// a rendered [Request], reads the answer and fills a [Response]: status, byte counts, phase times, at most one
// [Fault], and head and body only if they were asked for. Over plain TCP the exchange runs on the raw connection
// inside one read call of the runtime's poller; TLS runs the same parser over an ordinary connection.
//
// A broken exchange is a Fault, never an error, a panic or a wait past the timeouts. Nothing is allocated
// for an exchange on a warm connection. Redirects, cookies, retries by policy and what an answer means belong to
// the engine. wire imports nothing of the house.
package wire
