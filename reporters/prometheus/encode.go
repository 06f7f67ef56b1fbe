package prometheus

import (
	"cmp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// familyName writes the name of a family as Prometheus wants it.
func familyName(f *outlet.Family) string {
	name := "stacrun_" + strings.ReplaceAll(f.Name, ".", "_")
	switch f.Unit {
	case outlet.Seconds:
		name += "_seconds"
	case outlet.Bytes:
		name += "_bytes"
	case outlet.Ratio:
		name += "_ratio"
	case outlet.PerSecond:
		name += "_per_second"
	}
	if f.Type == outlet.Counter {
		name += "_total"
	}
	return name
}

// zeroThreshold is, in seconds, up to where values count as zero in native histograms: only 0 does,
// since the histogram counts whole microseconds.
const zeroThreshold = 1e-7

// encode makes the families of the exposition formats; series are sorted as the formats ask for.
func encode(families []outlet.Family, run report.Run, o *Options) []*dto.MetricFamily {
	out := make([]*dto.MetricFamily, 0, len(families))
	for i := range families {
		f := &families[i]
		kind := map[outlet.Type]dto.MetricType{
			outlet.Counter: dto.MetricType_COUNTER, outlet.Gauge: dto.MetricType_GAUGE, outlet.Histogram: dto.MetricType_HISTOGRAM,
		}[f.Type]
		family := &dto.MetricFamily{Name: proto.String(familyName(f)), Help: proto.String(f.Help), Type: kind.Enum()}
		for j := range f.Points {
			family.Metric = append(family.Metric, metric(f, &f.Points[j], run, o))
		}
		out = append(out, family)
	}
	slices.SortFunc(out, func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return out
}

func metric(f *outlet.Family, point *outlet.Point, run report.Run, o *Options) *dto.Metric {
	m := &dto.Metric{}
	for _, label := range labelsOf(point, o.Labels) {
		m.Label = append(m.Label, &dto.LabelPair{Name: proto.String(label.Name), Value: proto.String(label.Value)})
	}
	created := timestamppb.New(run.Started)
	switch f.Type {
	case outlet.Counter:
		m.Counter = &dto.Counter{Value: proto.Float64(point.Value), CreatedTimestamp: created}
	case outlet.Gauge:
		m.Gauge = &dto.Gauge{Value: proto.Float64(point.Value)}
	case outlet.Histogram:
		m.Histogram = histogram(point.Distribution, o.Buckets)
		m.Histogram.CreatedTimestamp = created
	}
	return m
}

// labelsOf gives the labels of a point with the extra ones, sorted by name. An extra label never
// replaces one of ours.
func labelsOf(point *outlet.Point, extra map[string]string) []outlet.Label {
	labels := slices.Clone(point.Labels)
	for name, value := range extra {
		if !slices.ContainsFunc(labels, func(l outlet.Label) bool { return l.Name == name }) {
			labels = append(labels, outlet.Label{Name: name, Value: value})
		}
	}
	slices.SortFunc(labels, func(a, b outlet.Label) int { return cmp.Compare(a.Name, b.Name) })
	return labels
}
