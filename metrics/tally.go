package metrics

import "slices"

// tally is a distribution that is being recorded: an exact sum, and counters in the layout of [Histogram]. The first values
// of a second are kept as they come, so that a label that sees few of them, one of a thousand, touches a cache line or two and
// not one for each value; more are counted in pages of 64 counters, taken from the shard's pool when first needed.
type tally struct {
	Sum
	clamped int64
	pages   *pageTable         // nil as long as the values fit into few
	few     [fewBuckets]uint16 // the bucket of each value so far, Count of them, in the order of recording
}

const (
	fewBuckets = 60 // with the words before them, three cache lines
	pageSize   = 64 // counters
)

type (
	page      [pageSize]uint32 // one second of one label on one shard stays far below 2³²
	pageTable [bucketTotal / pageSize]*page
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
	v, clamped := unitsOf(ns)
	if clamped {
		t.clamped++
	}
	i := bucketOf(v)
	switch {
	case t.pages != nil:
		t.pages.count(i, pool)
	case t.Count < fewBuckets:
		t.few[t.Count] = uint16(i)
	default:
		t.pages = pool.table()
		for _, few := range t.few {
			t.pages.count(int(few), pool)
		}
		t.pages.count(i, pool)
	}
	t.Add(ns)
}

// count counts one value of bucket i.
func (t *pageTable) count(i int, pool *pagePool) {
	pg := t[i/pageSize]
	if pg == nil {
		pg = pool.page()
		t[i/pageSize] = pg
	}
	pg[i%pageSize]++
}

// drain moves the distribution into an empty series and hands the pages, zeroed, to freed.
func (t *tally) drain(s *Series, freed *pagePool) {
	if t == nil || t.Count == 0 {
		return
	}
	s.Sum = t.Sum
	s.Histogram = &Histogram{total: t.Count, clamped: t.clamped}
	if t.pages != nil {
		s.Histogram.index, s.Histogram.count = t.pages.drain(freed)
	} else {
		s.Histogram.index, s.Histogram.count = counted(t.few[:t.Count])
	}
	t.Sum, t.clamped, t.pages = Sum{}, 0, nil
}

// counted sorts the buckets and returns the different ones with the count of each.
func counted(buckets []uint16) (index []uint16, count []int64) {
	slices.Sort(buckets)
	different := 0
	for j, i := range buckets {
		if j == 0 || i != buckets[j-1] {
			different++
		}
	}
	index, count = make([]uint16, 0, different), make([]int64, 0, different)
	for j, i := range buckets {
		if j == 0 || i != buckets[j-1] {
			index, count = append(index, i), append(count, 0)
		}
		count[len(count)-1]++
	}
	return index, count
}

// drain returns the buckets in use and the count of each, and hands table and pages, zeroed, to freed.
func (t *pageTable) drain(freed *pagePool) (index []uint16, count []int64) {
	index, count = freed.index[:0], freed.count[:0]
	for p, pg := range t {
		if pg == nil {
			continue
		}
		for k, n := range pg {
			if n > 0 {
				index, count = append(index, uint16(p*pageSize+k)), append(count, int64(n))
			}
		}
		*pg = page{}
		freed.pages = append(freed.pages, pg)
	}
	*t = pageTable{}
	freed.tables = append(freed.tables, t)
	freed.index, freed.count = index, count
	return slices.Clone(index), slices.Clone(count)
}

// pagePool holds zeroed pages and tables for reuse.
type pagePool struct {
	pages  []*page
	tables []*pageTable

	index []uint16 // scratch of drain
	count []int64
}

// What a shard keeps for reuse at most: 4 MB of pages, and the tables of 500 labels.
const (
	maxPooled       = 1 << 14
	maxPooledTables = 1 << 10
)

func (p *pagePool) page() *page {
	if n := len(p.pages); n > 0 {
		pg := p.pages[n-1]
		p.pages = p.pages[:n-1]
		return pg
	}
	return &page{}
}

func (p *pagePool) table() *pageTable {
	if n := len(p.tables); n > 0 {
		t := p.tables[n-1]
		p.tables = p.tables[:n-1]
		return t
	}
	return &pageTable{}
}

// give takes over what the other pool holds, up to the bounds; the other one is empty then.
func (p *pagePool) give(o *pagePool) {
	p.pages = append(p.pages, o.pages[:min(len(o.pages), max(maxPooled-len(p.pages), 0))]...)
	p.tables = append(p.tables, o.tables[:min(len(o.tables), max(maxPooledTables-len(p.tables), 0))]...)
	clear(o.pages)
	clear(o.tables)
	o.pages, o.tables = o.pages[:0], o.tables[:0]
}
