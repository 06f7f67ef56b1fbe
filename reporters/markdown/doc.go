// Package markdown writes a run as Markdown: for merge-request comments, and for the summary page of
// a step of a GitHub workflow. Texts from outside are escaped so that they neither format nor link.
package markdown
