// Package config is the language: it turns what the user wrote into what the user meant.
//
// Files are read into [Node] trees that remember where each value came from, merged with their
// directives, completed by included files, aliases and overrides, substituted from the environment,
// validated against the schema, normalised (every shorthand expanded) and decoded into a [File].
// Whatever is wrong comes back as diagnostics, all at once and in file order.
// config may import diag and schemas. It does not know how a scenario is executed: templates stay
// text here, and defaults that depend on the load are the engine's.
package config
