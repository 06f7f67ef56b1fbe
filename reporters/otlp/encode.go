package otlp

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// encode makes the message of an export. MetricsData is on the wire the same as the request of the
// metrics service.
func encode(families []outlet.Family, run report.Run, extra map[string]string, at time.Time) *metricspb.MetricsData {
	scope := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: "github.com/stacrun/stacrun", Version: run.Version}}
	times := stamps{uint64(run.Started.UnixNano()), uint64(at.UnixNano())}
	for i := range families {
		scope.Metrics = append(scope.Metrics, times.metric(&families[i]))
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: resource(run, extra), ScopeMetrics: []*metricspb.ScopeMetrics{scope},
	}}}
}

func resource(run report.Run, extra map[string]string) *resourcepb.Resource {
	attributes := map[string]string{"service.name": "stacrun", "service.version": run.Version}
	if host, err := os.Hostname(); err == nil {
		attributes["host.name"] = host
	}
	maps.Copy(attributes, extra)
	r := &resourcepb.Resource{}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		r.Attributes = append(r.Attributes, text(name, attributes[name]))
	}
	return r
}

// stamps are the start of the run and the moment of the totals, in ns since 1970.
type stamps struct{ start, now uint64 }

func (t stamps) metric(f *outlet.Family) *metricspb.Metric {
	m := &metricspb.Metric{Name: "stacrun." + f.Name, Description: f.Help, Unit: cmp.Or(f.Unit, "1")} // what has no unit has that of UCUM
	const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch f.Type {
	case outlet.Counter:
		sum := &metricspb.Sum{AggregationTemporality: cumulative, IsMonotonic: true}
		for i := range f.Points {
			sum.DataPoints = append(sum.DataPoints, t.number(&f.Points[i], f.Unit != outlet.Seconds))
		}
		m.Data = &metricspb.Metric_Sum{Sum: sum}
	case outlet.Gauge:
		gauge := &metricspb.Gauge{}
		for i := range f.Points {
			gauge.DataPoints = append(gauge.DataPoints, t.number(&f.Points[i], false))
		}
		m.Data = &metricspb.Metric_Gauge{Gauge: gauge}
	case outlet.Histogram:
		histogram := &metricspb.ExponentialHistogram{AggregationTemporality: cumulative}
		for i := range f.Points {
			histogram.DataPoints = append(histogram.DataPoints, t.distribution(&f.Points[i]))
		}
		m.Data = &metricspb.Metric_ExponentialHistogram{ExponentialHistogram: histogram}
	}
	return m
}

// number makes a point, of an integer where the figure is a count.
func (t stamps) number(p *outlet.Point, whole bool) *metricspb.NumberDataPoint {
	point := &metricspb.NumberDataPoint{Attributes: attributes(p.Labels), StartTimeUnixNano: t.start, TimeUnixNano: t.now}
	if whole {
		point.Value = &metricspb.NumberDataPoint_AsInt{AsInt: int64(p.Value)}
	} else {
		point.Value = &metricspb.NumberDataPoint_AsDouble{AsDouble: p.Value}
	}
	return point
}

func (t stamps) distribution(p *outlet.Point) *metricspb.ExponentialHistogramDataPoint {
	d := p.Distribution
	point := &metricspb.ExponentialHistogramDataPoint{
		Attributes: attributes(p.Labels), StartTimeUnixNano: t.start, TimeUnixNano: t.now,
		Count: d.Count, Sum: &d.Sum, Min: &d.Min, Max: &d.Max, Scale: int32(d.Scale), ZeroCount: d.Zero,
	}
	if len(d.Buckets) == 0 {
		return point
	}
	first, last := d.Buckets[0].Index, d.Buckets[len(d.Buckets)-1].Index
	counts := make([]uint64, last-first+1)
	for _, b := range d.Buckets {
		counts[b.Index-first] = b.Count
	}
	point.Positive = &metricspb.ExponentialHistogramDataPoint_Buckets{Offset: int32(first), BucketCounts: counts}
	return point
}

// attributes names labels by the semantic conventions, where these have a word, else as our own.
func attributes(labels []outlet.Label) []*commonpb.KeyValue {
	out := make([]*commonpb.KeyValue, 0, len(labels))
	for _, l := range labels {
		switch l.Name {
		case "code":
			code, _ := strconv.ParseInt(l.Value, 10, 64) // a number by its making
			out = append(out, &commonpb.KeyValue{
				Key: "http.response.status_code", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: code}},
			})
		case "fault":
			out = append(out, text("error.type", l.Value))
		case "warm_up":
			out = append(out, &commonpb.KeyValue{
				Key: "stacrun.warm_up", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: l.Value == "true"}},
			})
		default:
			out = append(out, text("stacrun."+l.Name, l.Value))
		}
	}
	return out
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}
