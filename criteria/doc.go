// Package criteria judges a run: it compiles pass/fail rules against the labels that a plan can
// produce and folds intervals into verdicts.
//
// A [Judge] is fed one merged interval after another and answers with the effects of rules that
// triggered; at the end it judges the cumulative rules on the totals. It keeps no clock, prints
// nothing and never decides an exit code: that is the session's.
package criteria
