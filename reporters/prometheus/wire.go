package prometheus

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stacrun/stacrun/reporters/outlet"
)

// encodeV1 writes a prometheus.WriteRequest (remote write 1.0):
//
//	WriteRequest{1: TimeSeries{1: Label{1: name, 2: value}, 2: Sample{1: value, 2: ms}, 4: Histogram}}
func encodeV1(list []series) []byte {
	var out []byte
	for i := range list {
		s := &list[i]
		var b []byte
		for _, l := range s.labels {
			var pair []byte
			pair = appendText(pair, 1, l.Name)
			pair = appendText(pair, 2, l.Value)
			b = appendMessage(b, 1, pair)
		}
		b = appendValue(b, s, 2, 4)
		out = appendMessage(out, 1, b)
	}
	return out
}

// encodeV2 writes an io.prometheus.write.v2.Request (remote write 2.0), whose texts stand in one table:
//
//	Request{4: symbols, 5: TimeSeries{1: references, 2: Sample, 3: Histogram, 5: Metadata{1: type, 3: help}}}
func encodeV2(list []series) []byte {
	symbols := []string{""}
	at := map[string]uint64{"": 0}
	reference := func(text string) uint64 {
		n, known := at[text]
		if !known {
			n = uint64(len(symbols))
			at[text] = n
			symbols = append(symbols, text)
		}
		return n
	}
	var all []byte
	for i := range list {
		s := &list[i]
		var references, b, meta []byte
		for _, l := range s.labels {
			references = protowire.AppendVarint(references, reference(l.Name))
			references = protowire.AppendVarint(references, reference(l.Value))
		}
		b = appendMessage(b, 1, references)
		b = appendValue(b, s, 2, 3)
		meta = appendNumber(meta, 1, uint64(s.kind)+1) // counter 1, gauge 2, histogram 3
		meta = appendNumber(meta, 3, reference(s.help))
		b = appendMessage(b, 5, meta)
		all = appendMessage(all, 5, b)
	}
	var out []byte
	for _, text := range symbols {
		out = appendText(out, 4, text)
	}
	return append(out, all...)
}

// appendValue adds the sample or the histogram of a series under the field of its kind.
func appendValue(b []byte, s *series, sample, histogram protowire.Number) []byte {
	if s.histogram != nil {
		return appendMessage(b, histogram, encodeHistogram(s.histogram, s.at))
	}
	var v []byte
	v = appendFloat(v, 1, s.value)
	v = appendNumber(v, 2, uint64(s.at))
	return appendMessage(b, sample, v)
}

// encodeHistogram writes a Histogram, which is the same in both versions:
//
//	{1: count, 3: sum, 4: schema, 5: zero threshold, 6: zero count, 11: span{1: offset, 2: length}, 12: deltas, 15: ms}
func encodeHistogram(d *outlet.Distribution, at int64) []byte {
	var b []byte
	b = appendNumber(b, 1, d.Count)
	b = appendFloat(b, 3, d.Sum)
	b = appendNumber(b, 4, protowire.EncodeZigZag(int64(d.Scale)))
	b = appendFloat(b, 5, zeroThreshold)
	b = appendNumber(b, 6, d.Zero)
	spans, deltas := native(d.Buckets)
	for _, s := range spans {
		var v []byte
		v = appendNumber(v, 1, protowire.EncodeZigZag(int64(s.offset)))
		v = appendNumber(v, 2, uint64(s.length))
		b = appendMessage(b, 11, v)
	}
	var packed []byte
	for _, delta := range deltas {
		packed = protowire.AppendVarint(packed, protowire.EncodeZigZag(delta))
	}
	b = appendMessage(b, 12, packed)
	return appendNumber(b, 15, uint64(at))
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendNumber(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendFloat(b []byte, field protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(v))
}
