package prometheus

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/reporters/outlet"
)

// series is one value as remote write sends it.
type series struct {
	labels    []outlet.Label // "__name__" included, sorted by name
	value     float64
	histogram *outlet.Distribution // native; value is not used then
	at        int64                // ms since 1970
	kind      outlet.Type
	help      string
}

// seriesOf takes families apart into series: a classic histogram into its buckets, count and sum.
func seriesOf(families []outlet.Family, extra map[string]string, limits []float64, at time.Time, natively bool) []series {
	var out []series
	for i := range families {
		f := &families[i]
		name := familyName(f)
		for j := range f.Points {
			point := &f.Points[j]
			labels := labelsOf(point, extra)
			add := func(suffix string, value float64, more ...outlet.Label) {
				out = append(out, series{
					labels: named(name+suffix, labels, more...), value: value, at: at.UnixMilli(), kind: f.Type, help: f.Help,
				})
			}
			d := point.Distribution
			if d == nil {
				add("", point.Value)
				continue
			}
			for k, n := range d.Below {
				add("_bucket", float64(n), outlet.Label{Name: "le", Value: formatFloat(limits[k])})
			}
			add("_bucket", float64(d.Count), outlet.Label{Name: "le", Value: "+Inf"})
			add("_count", float64(d.Count))
			add("_sum", d.Sum)
			if natively {
				out = append(out, series{labels: named(name, labels), histogram: d, at: at.UnixMilli(), kind: f.Type, help: f.Help})
			}
		}
	}
	return out
}

// formatFloat writes a number as the text formats do, so that both ways give the same series.
func formatFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	return text
}

func named(name string, labels []outlet.Label, more ...outlet.Label) []outlet.Label {
	out := make([]outlet.Label, 0, len(labels)+len(more)+1)
	out = append(out, outlet.Label{Name: "__name__", Value: name})
	out = append(append(out, labels...), more...)
	slices.SortFunc(out, func(a, b outlet.Label) int { return cmp.Compare(a.Name, b.Name) })
	return slices.DeleteFunc(out, func(l outlet.Label) bool { return l.Value == "" }) // an empty label is none
}
