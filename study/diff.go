package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/stats"
)

// Diff compares kept runs: every metric of all requests and of each label that both sides have.
func Diff(a, b *Stored, confidence float64) *report.Comparison {
	if confidence <= 0 || confidence >= 1 {
		confidence = stats.DefaultConfidence
	}
	c := &report.Comparison{
		Baseline: a.Name, Variant: b.Name, Confidence: confidence, Artifacts: report.RunFolders{Baseline: a.folders(), Variant: b.folders()},
	}
	mine, theirs := a.Labels(), b.Labels()
	labels := []string{report.AllRequests}
	for _, label := range mine {
		if slices.Contains(theirs, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 1 {
		c.Findings = append(c.Findings, fmt.Sprintf("the two sides have no label in common: %s has %s, and %s has %s",
			a.Name, strings.Join(mine, ", "), b.Name, strings.Join(theirs, ", ")))
	}
	c.Findings = append(c.Findings, onlyOn(a.Name, mine, theirs)...)
	c.Findings = append(c.Findings, onlyOn(b.Name, theirs, mine)...)
	for _, label := range labels {
		for _, metric := range report.Metrics() {
			r, note, ok := row(a, b, label, metric, confidence)
			if !ok {
				continue
			}
			r.Name = b.Name
			c.Rows = append(c.Rows, r)
			if note != "" && !slices.Contains(c.Notes, note) {
				c.Notes = append(c.Notes, note)
			}
		}
	}
	c.Notes = append(c.Notes, byChance(c)...)
	return c
}

func onlyOn(name string, has, lacks []string) (findings []string) {
	var only []string
	for _, label := range has {
		if !slices.Contains(lacks, label) {
			only = append(only, label)
		}
	}
	if len(only) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("only %s has %s", name, strings.Join(only, ", "))}
}

// byChance says how many rows would show a difference where there is none.
func byChance(c *report.Comparison) []string {
	tested := 0
	for _, r := range c.Rows {
		if r.Low != nil {
			tested++
		}
	}
	expected := float64(tested) * (1 - c.Confidence)
	if expected < 0.5 || c.Shown() == 0 {
		return nil
	}
	return []string{fmt.Sprintf("of %d rows at %g %%, about %.0f would show a difference by chance alone", tested, 100*c.Confidence, expected)}
}
