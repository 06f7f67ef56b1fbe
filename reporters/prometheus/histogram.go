package prometheus

import (
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/stacrun/stacrun/reporters/outlet"
)

// span is a row of neighbouring native buckets; offset is the gap after the last row, or the index
// of the very first bucket.
type span struct {
	offset int32
	length uint32
}

// native gives the spans and the differences of counts of a native histogram. Prometheus numbers a
// bucket by its upper limit, base^index, where a [outlet.Bucket] goes by its lower one.
func native(buckets []outlet.Bucket) (spans []span, deltas []int64) {
	next, before := 0, int64(0)
	for i, b := range buckets {
		index := b.Index + 1
		if i == 0 || index != next {
			spans = append(spans, span{offset: int32(index - next)})
		}
		spans[len(spans)-1].length++
		deltas = append(deltas, int64(b.Count)-before)
		next, before = index+1, int64(b.Count)
	}
	return spans, deltas
}

// histogram makes a classic and native histogram in one, of which a format takes what it knows.
func histogram(d *outlet.Distribution, limits []float64) *dto.Histogram {
	h := &dto.Histogram{
		SampleCount: proto.Uint64(d.Count), SampleSum: proto.Float64(d.Sum),
		Schema: proto.Int32(int32(d.Scale)), ZeroThreshold: proto.Float64(zeroThreshold), ZeroCount: proto.Uint64(d.Zero),
	}
	for i, n := range d.Below {
		h.Bucket = append(h.Bucket, &dto.Bucket{CumulativeCount: proto.Uint64(n), UpperBound: proto.Float64(limits[i])})
	}
	spans, deltas := native(d.Buckets)
	for _, s := range spans {
		h.PositiveSpan = append(h.PositiveSpan, &dto.BucketSpan{Offset: proto.Int32(s.offset), Length: proto.Uint32(s.length)})
	}
	h.PositiveDelta = deltas
	return h
}
