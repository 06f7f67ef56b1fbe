package ingest

import "context"

// missing asks the API which of a batch it holds, counts those as existing and verified, and returns the others. An
// answer that cannot be had is no reason to stop: then all are sent, and what exists answers so.
func (r *run) missing(ctx context.Context, batch []piece) []piece {
	found, err := r.find(ctx, ids(batch))
	if err != nil {
		return batch
	}
	var rest []piece
	there := 0
	r.update(func(report *Report) {
		for _, p := range batch {
			if !found[p.id] {
				rest = append(rest, p)
				continue
			}
			there++
			r.settle(p)
		}
		report.Found += there
		report.Existing += there
		report.Verified += there
	})
	return rest
}

func ids(batch []piece) []string {
	all := make([]string, len(batch))
	for i, p := range batch {
		all[i] = p.id
	}
	return all
}
