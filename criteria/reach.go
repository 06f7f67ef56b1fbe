package criteria

import "fmt"

// reach is how far a windowed rule came that did not trigger, so that its verdict can say by how much it passed.
type reach struct {
	any     bool
	full    bool    // over: some window was filled; only such windows count from then on
	worst   float64 // the value, of a second or of a window, that went furthest in the direction of the condition
	longest int64   // seconds: for: the longest streak; over: the most that a window held
}

// add folds in what a window said after a second.
func (r *reach) add(s step, w *window, condition string, threshold float64) {
	r.longest = max(r.longest, s.held)
	if w.logic == "over" {
		full := s.held >= w.length
		if r.full && !full {
			return
		}
		if full && !r.full {
			r.full, r.any = true, false
		}
	}
	if !r.any || beyond(condition, s.value, r.worst, threshold) {
		r.any, r.worst = true, s.value
	}
}

// beyond tells whether a is nearer to triggering, or further past that, than b.
func beyond(condition string, a, b, threshold float64) bool {
	switch condition {
	case ">", ">=":
		return a > b
	case "<", "<=":
		return a < b
	}
	return max(a-threshold, threshold-a) < max(b-threshold, threshold-b)
}

// text says it in the rule's unit, beside its threshold.
func (r *reach) text(w *window, u unit, condition string, threshold float64) string {
	value := u.beside(r.worst, threshold)
	part := fmt.Sprintf("%s of %s", Seconds(float64(r.longest)), Seconds(float64(w.length)))
	if w.logic == "over" && !r.full {
		return value + " in " + part
	}
	switch condition {
	case ">", ">=":
		value = "at most " + value
	case "<", "<=":
		value = "at least " + value
	default:
		value = "nearest " + value
	}
	if w.logic != "within" && w.logic != "over" && r.longest > 0 {
		return part + " in a row, " + value
	}
	return value
}
