// Package template turns texts with "${…}" in them into something that can be written into a
// buffer for one user without parsing anything again.
//
// A [Compiler] reads a text once and gives a [Template]: literal bytes, variable slots, JMeter
// functions and, for everything else between "${" and "}", expr programs. [Names] is the table of
// variables that the compiler knows, [Vars] holds one user's values by slot, and [Context] is all
// that a template may look at while it is written. A [Condition] is a text that is true or false.
//
// Every name is resolved while compiling; an unknown one is a diagnostic with a suggestion. All
// randomness comes from Context.Rand and all time from Context.Now. template imports diag only; it
// does not know requests, responses or configuration nodes.
package template
