// Command stacrun runs load tests that are written down in YAML files.
//
// One file per verb: a verb parses its flags, calls the room that does the work and prints what
// comes back. The rooms that may not know each other are joined here: template functions of the
// domain, services, reporters and the session.
package main
