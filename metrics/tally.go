package metrics

import "slices"

// tally is a distribution that is being recorded: an exact sum and log-linear counters in the layout of [Histogram].
// Counters come in pages of 64 behind two levels of pointers, taken from the shard's pool when first needed, so that a
// label that saw few values takes little.
type tally struct {
	Sum
	clamped int64
	dirs    [bucketTotal / (pageSize * dirSize)]*directory
}

const (
	pageSize = 64 // counters
	dirSize  = 16 // pages
)

type (
	page      [pageSize]uint32 // one second of one label on one shard stays far below 2³²
	directory [dirSize]*page
)

// made returns the tally behind the pointer, made on first use.
func made(t **tally) *tally {
	if *t == nil {
		*t = &tally{}
	}
	return *t
}

// record adds one value in ns.
func (t *tally) record(ns int64, pool *pagePool) {
	t.Add(ns)
	v, clamped := unitsOf(ns)
	if clamped {
		t.clamped++
	}
	i := bucketOf(v)
	dir := t.dirs[i/(pageSize*dirSize)]
	if dir == nil {
		dir = pool.directory()
		t.dirs[i/(pageSize*dirSize)] = dir
	}
	pg := dir[i/pageSize%dirSize]
	if pg == nil {
		pg = pool.page()
		dir[i/pageSize%dirSize] = pg
	}
	pg[i%pageSize]++
}

// drain moves the distribution into an empty series and hands the pages, zeroed, to freed.
func (t *tally) drain(s *Series, freed *pagePool) {
	if t == nil || t.Count == 0 {
		return
	}
	index, count := freed.index[:0], freed.count[:0]
	for d, dir := range t.dirs {
		if dir == nil {
			continue
		}
		for p, pg := range dir {
			if pg == nil {
				continue
			}
			for k, n := range pg {
				if n > 0 {
					index, count = append(index, uint16((d*dirSize+p)*pageSize+k)), append(count, int64(n))
				}
			}
			*pg = page{}
			freed.pages = append(freed.pages, pg)
		}
		*dir = directory{}
		freed.directories = append(freed.directories, dir)
	}
	s.Sum = t.Sum
	s.Histogram = &Histogram{index: slices.Clone(index), count: slices.Clone(count), total: t.Count, clamped: t.clamped}
	freed.index, freed.count = index, count
	*t = tally{}
}

// pagePool holds zeroed pages and directories for reuse.
type pagePool struct {
	pages       []*page
	directories []*directory

	index []uint16 // scratch of drain
	count []int64
}

// maxPooled bounds what a shard keeps for reuse: 4 MB of pages.
const maxPooled = 1 << 14

func (p *pagePool) page() *page {
	if n := len(p.pages); n > 0 {
		pg := p.pages[n-1]
		p.pages = p.pages[:n-1]
		return pg
	}
	return &page{}
}

func (p *pagePool) directory() *directory {
	if n := len(p.directories); n > 0 {
		d := p.directories[n-1]
		p.directories = p.directories[:n-1]
		return d
	}
	return &directory{}
}

// give takes over what the other pool holds, up to the bound.
func (p *pagePool) give(o *pagePool) {
	p.pages = append(p.pages, o.pages[:min(len(o.pages), max(maxPooled-len(p.pages), 0))]...)
	p.directories = append(p.directories, o.directories[:min(len(o.directories), max(maxPooled-len(p.directories), 0))]...)
}
