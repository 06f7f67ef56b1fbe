package otlp

import (
	"slices"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"
)

// strict holds an export against the rules of OTLP's data model and against the one before it: no field that the protocol does not
// know, a unit and a description for each metric, times in order, each series once, cumulative sums and histograms that never fall
// and keep their beginning, buckets that add up.
func strict(t *testing.T, message, before *metricspb.MetricsData) {
	t.Helper()
	earlier := seriesOf(t, before)
	for name, now := range seriesOf(t, message) {
		if now.start == 0 || now.time < now.start {
			t.Errorf("%s: from %d to %d", name, now.start, now.time)
		}
		then, known := earlier[name]
		if !known || !now.cumulative {
			continue
		}
		if now.start != then.start || now.time < then.time || now.value < then.value {
			t.Errorf("%s fell or began anew: %+v after %+v", name, now, then)
		}
	}
	for name, then := range earlier {
		if _, still := seriesOf(t, message)[name]; then.cumulative && !still {
			t.Errorf("%s is gone", name)
		}
	}
}

type series struct {
	start, time uint64
	value       float64 // of a sum; count of a histogram
	cumulative  bool
}

// seriesOf lists the series by metric and attributes.
func seriesOf(t *testing.T, message *metricspb.MetricsData) map[string]series {
	t.Helper()
	list := map[string]series{}
	if message == nil {
		return list
	}
	unknown(t, message)
	for _, resource := range message.GetResourceMetrics() {
		unknown(t, resource)
		for _, scope := range resource.GetScopeMetrics() {
			if scope.GetScope().GetName() == "" {
				t.Error("a scope without a name")
			}
			for _, m := range scope.GetMetrics() {
				unknown(t, m)
				add := func(attributes []*commonpb.KeyValue, s series) {
					name := m.GetName() + keyOf(t, attributes)
					if _, twice := list[name]; twice {
						t.Errorf("%s stands there twice", name)
					}
					list[name] = s
				}
				if m.GetUnit() == "" || m.GetDescription() == "" || strings.ToLower(m.GetName()) != m.GetName() {
					t.Errorf("%s has unit %q and description %q", m.GetName(), m.GetUnit(), m.GetDescription())
				}
				const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
				switch data := m.GetData().(type) {
				case *metricspb.Metric_Sum:
					if data.Sum.GetAggregationTemporality() != cumulative || !data.Sum.GetIsMonotonic() {
						t.Errorf("%s: %v", m.GetName(), data.Sum)
					}
					for _, p := range data.Sum.GetDataPoints() {
						unknown(t, p)
						add(p.GetAttributes(), series{p.GetStartTimeUnixNano(), p.GetTimeUnixNano(), numberOf(p), true})
					}
				case *metricspb.Metric_Gauge:
					for _, p := range data.Gauge.GetDataPoints() {
						unknown(t, p)
						add(p.GetAttributes(), series{max(p.GetStartTimeUnixNano(), 1), p.GetTimeUnixNano(), numberOf(p), false})
					}
				case *metricspb.Metric_ExponentialHistogram:
					if data.ExponentialHistogram.GetAggregationTemporality() != cumulative {
						t.Errorf("%s: %v", m.GetName(), data.ExponentialHistogram)
					}
					for _, p := range data.ExponentialHistogram.GetDataPoints() {
						unknown(t, p)
						n := p.GetZeroCount()
						for _, count := range append(slices.Clone(p.GetPositive().GetBucketCounts()), p.GetNegative().GetBucketCounts()...) {
							n += count
						}
						if n != p.GetCount() || p.GetScale() < -10 || p.GetScale() > 20 || p.GetMin() > p.GetMax() {
							t.Errorf("%s: %d in buckets, %v", m.GetName(), n, p)
						}
						add(p.GetAttributes(), series{p.GetStartTimeUnixNano(), p.GetTimeUnixNano(), float64(p.GetCount()), true})
					}
				default:
					t.Errorf("%s has data %T", m.GetName(), data)
				}
			}
		}
	}
	return list
}

func numberOf(p *metricspb.NumberDataPoint) float64 {
	if _, whole := p.GetValue().(*metricspb.NumberDataPoint_AsInt); whole {
		return float64(p.GetAsInt())
	}
	return p.GetAsDouble()
}

// keyOf writes attributes in order; a key may stand there once.
func keyOf(t *testing.T, attributes []*commonpb.KeyValue) string {
	t.Helper()
	var keys, texts []string
	for _, a := range attributes {
		if a.GetKey() == "" || slices.Contains(keys, a.GetKey()) {
			t.Errorf("attribute %q of %v", a.GetKey(), attributes)
		}
		keys = append(keys, a.GetKey())
		texts = append(texts, a.GetKey()+"="+a.GetValue().String())
	}
	slices.Sort(texts)
	return "{" + strings.Join(texts, ",") + "}"
}

func unknown(t *testing.T, m proto.Message) {
	t.Helper()
	if fields := m.ProtoReflect().GetUnknown(); len(fields) > 0 {
		t.Errorf("%T has fields that the protocol does not know: %x", m, fields)
	}
}
