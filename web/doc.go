// Package web is the live page: it shows a run as it goes on, lets people start one with settings of their own, change its load and
// stop it, and hands out what earlier runs have left.
//
// Path: intervals → [Watch] → a state, complete each second → viewers, by server-sent events. A viewer that is slow misses states and
// never delays a run. Figures come from metrics, judgement from criteria, charts from reporters/charts; what carries runs out is handed
// in as a [Runner]. The page is for one machine and its people: it listens on loopback unless it is given a token.
package web
