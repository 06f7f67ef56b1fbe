// Package webhook posts a message to a web address when a run has ended or when a criterion
// triggers: as JSON with a text in it, or as the text alone in the form that Slack and those that
// take its messages understand.
//
// The address is a secret and stands in no message, notice or error of ours.
package webhook
