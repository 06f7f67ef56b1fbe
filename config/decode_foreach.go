package config

// foreachLists warns about loops over a variable of which only one value is taken: they end at once.
func (d *decoder) foreachLists(s *Scenario) {
	single := map[string]*Extractor{}
	note := func(list []Extractor) {
		for i := range list {
			x := &list[i]
			if x.MatchNo.Set && x.MatchNo.V < 0 {
				delete(single, x.Variable)
			} else if x.Kind != ExtractHeader {
				single[x.Variable] = x
			}
		}
	}
	note(s.Extractors)
	lists := [][]Step{s.Setup, s.Requests, s.Teardown}
	for _, t := range s.Tasks {
		lists = append(lists, t.Requests)
	}
	var loops []*ForEach
	for _, list := range lists {
		eachStep(list, func(step Step) {
			switch step := step.(type) {
			case *Request:
				note(step.Extractors)
			case *ForEach:
				loops = append(loops, step)
			}
		})
	}
	for _, loop := range loops {
		if x := single[loop.List]; x != nil {
			d.diags.Warnf("foreach", loop.Pos, loop.Path, "foreach goes through %s_1, %s_2, …, but the extractor takes one match only", loop.List, loop.List).
				WithHint("add \"match-no: -1\" to the extractor of %q", loop.List).
				WithNote(x.Pos, "the extractor")
		}
	}
}

// eachStep calls f for every step of a list, blocks before what is inside them.
func eachStep(list []Step, f func(Step)) {
	for _, step := range list {
		f(step)
		for _, inner := range inside(step) {
			eachStep(inner, f)
		}
	}
}

// inside lists the lists of steps that a block holds.
func inside(step Step) [][]Step {
	switch s := step.(type) {
	case *If:
		return [][]Step{s.Then, s.Else}
	case *Loop:
		return [][]Step{s.Do}
	case *While:
		return [][]Step{s.Do}
	case *ForEach:
		return [][]Step{s.Do}
	case *Once:
		return [][]Step{s.Do}
	case *Transaction:
		return [][]Step{s.Do}
	case *Parallel:
		return [][]Step{s.Branches}
	case *Retry:
		return [][]Step{s.Do}
	}
	return nil
}
