// Package charts draws figures as SVG, and folds the intervals of a run of any length into the few
// hundred slots that a chart can show.
//
// Path: [metrics.Interval] → [Timeline] → [Slot] → [Panel] → SVG text. A chart has no size of its
// own: lines are stretched to the box that they stand in, text is not, so that it is legible on a
// telephone and on paper. Colours are the page's: lines and areas have classes only. Every text
// from outside is escaped here. charts computes no figure that metrics does not give.
package charts
