package study

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Prober asks a backend a fixed set of questions.
type Prober interface {
	// Probe asks one backend. An error says that it could not be asked at all; that it refuses a question is an answer.
	Probe(ctx context.Context, address string) ([]Answer, error)
}

// Answer is what a backend said to one question.
type Answer struct {
	Question string   // for people, such as "POST /search with a box"
	Status   int      // HTTP; 0: no answer
	IDs      []string // of what was returned, in its order
	Ordered  bool     // the order is part of the answer
	Matched  *int64   // how many there are in all, as the backend says; nil: it does not say
	Text     string   // what it said instead of an answer
}

// SameAnswers asks two backends and says in a sentence each where their answers differ.
func SameAnswers(ctx context.Context, prober Prober, a, b string) (findings []string, err error) {
	before, err := prober.Probe(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", a, err)
	}
	after, err := prober.Probe(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", b, err)
	}
	for _, mine := range before {
		at := slices.IndexFunc(after, func(o Answer) bool { return o.Question == mine.Question })
		if at < 0 {
			continue
		}
		if text := differ(a, b, &mine, &after[at]); text != "" {
			findings = append(findings, "content: "+mine.Question+": "+text)
		}
	}
	return findings, nil
}

// differ says how two answers to one question differ; "" when they do not.
func differ(a, b string, x, y *Answer) string {
	switch {
	case x.Status != y.Status:
		return fmt.Sprintf("%s answers %s, %s answers %s", a, x.says(), b, y.says())
	case x.Status >= 300:
		return "" // both refuse alike
	case len(x.IDs) != len(y.IDs):
		return fmt.Sprintf("%s returns %d, %s returns %d", a, len(x.IDs), b, len(y.IDs))
	}
	left, right := x.IDs, y.IDs
	if slices.Equal(left, right) {
		return counts(a, b, x, y)
	}
	left, right = slices.Sorted(slices.Values(left)), slices.Sorted(slices.Values(right))
	if slices.Equal(left, right) {
		if x.Ordered || y.Ordered {
			return "both return the same, in another order"
		}
		return counts(a, b, x, y)
	}
	for _, id := range left {
		if !slices.Contains(right, id) {
			return fmt.Sprintf("%s returns %q, which %s does not", a, id, b)
		}
	}
	return "other ids are returned"
}

func counts(a, b string, x, y *Answer) string {
	if x.Matched != nil && y.Matched != nil && *x.Matched != *y.Matched {
		return fmt.Sprintf("%s says that %d match, %s that %d do", a, *x.Matched, b, *y.Matched)
	}
	return ""
}

func (x *Answer) says() string {
	if x.Status == 0 {
		return "nothing"
	}
	if x.Status < 300 || x.Text == "" {
		return strconv.Itoa(x.Status)
	}
	return fmt.Sprintf("%d (%s)", x.Status, strings.TrimSpace(x.Text))
}
