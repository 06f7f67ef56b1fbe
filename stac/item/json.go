package item

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
)

// Version is the version of STAC that items and collections follow.
const Version = "1.0.0"

const (
	head = `{"type":"Feature","stac_version":"` + Version + `","stac_extensions":[` +
		`"https://stac-extensions.github.io/eo/v1.0.0/schema.json",` +
		`"https://stac-extensions.github.io/projection/v1.0.0/schema.json",` +
		`"https://stac-extensions.github.io/view/v1.0.0/schema.json"],"id":"`
	rasters = "https://sentinel-cogs.object-store.eu-central-1.cloud.example.com/sentinel-s2-l2a-cogs/"
	tiles   = "https://sentinel-products.object-store.eu-central-1.cloud.example.com/sentinel-s2-l2a/tiles/"
	catalog = "https://products.example.com/stac/sentinel-s2-l2a/"
)

func (g *Generator) appendItem(dst []byte, n int, p place, rng *rand.Rand) []byte {
	var name [40]byte
	id := string(p.appendID(name[:0]))
	outline, coverage := ring(p, rng)
	dst = append(dst, head...)
	dst = append(dst, id...)
	dst = append(dst, `","bbox":`...)
	dst = boxOf(outline).AppendJSON(dst)
	dst = append(dst, `,"geometry":{"type":"Polygon","coordinates":[[`...)
	for i, at := range outline {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		dst = geo.AppendDegrees(dst, at[0])
		dst = append(dst, ',')
		dst = geo.AppendDegrees(dst, at[1])
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":`...)
	dst = appendProperties(dst, p, coverage, rng)
	dst = append(dst, `,"collection":`...)
	dst = strconv.AppendQuote(dst, g.collection)
	dst = append(dst, `,"assets":{`...)
	full := (n/SampleTiles+n)%2 == 0
	day := folder(p)
	for i := range g.shapes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendAsset(dst, &g.shapes[i], p, id, day, full)
	}
	dst = append(dst, `},"links":[{"rel":"canonical","type":"application/json","href":"`...)
	dst = append(dst, catalog...)
	dst = append(dst, day...)
	dst = append(dst, id...)
	dst = append(dst, `.json"},{"rel":"derived_from","type":"application/geo+json","href":"`...)
	dst = append(dst, catalog...)
	dst = append(dst, "l1c/"...)
	dst = append(dst, id[:len(id)-len("L2A")]...)
	return append(dst, `L1C.json"}]}`...)
}

// folder returns "34/Q/EJ/2023/6/" of an item.
func folder(p place) string {
	b := strconv.AppendInt(nil, int64(p.tile.Zone), 10)
	b = append(b, '/', p.tile.Band, '/')
	b = append(b, p.tile.Square...)
	b = append(b, '/')
	return string(p.taken.AppendFormat(b, "2006/1/"))
}

func appendProperties(dst []byte, p place, coverage float64, rng *rand.Rand) []byte {
	satellite := p.first | 0x20 // lower case
	number := func(key string, v float64) {
		dst = append(dst, `,"`...)
		dst = append(dst, key...)
		dst = append(dst, `":`...)
		dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	text := func(key, v string) {
		dst = append(dst, `,"`...)
		dst = append(dst, key...)
		dst = append(dst, `":"`...)
		dst = append(dst, v...)
		dst = append(dst, '"')
	}
	clouds := cloudCover(rng)
	created := p.taken.Add(6*time.Hour + time.Duration(rng.IntN(36*3600*1000))*time.Millisecond)

	dst = append(dst, `{"datetime":"`...)
	dst = p.taken.AppendFormat(dst, time.RFC3339)
	dst = append(dst, `","platform":"sentinel-2`...)
	dst = append(dst, satellite)
	dst = append(dst, `","constellation":"sentinel-2","instruments":["msi"],"gsd":10,"view:off_nadir":0`...)
	number("eo:cloud_cover", clouds)
	number("proj:epsg", float64(p.tile.EPSG()))
	number("sentinel:utm_zone", float64(p.tile.Zone))
	text("sentinel:latitude_band", string(p.tile.Band))
	text("sentinel:grid_square", p.tile.Square)
	text("sentinel:sequence", strconv.Itoa(p.sequence))
	text("sentinel:product_id", productID(p, created))
	number("sentinel:data_coverage", math.Round(coverage*10000)/100)
	dst = append(dst, `,"sentinel:valid_cloud_cover":`...)
	dst = strconv.AppendBool(dst, clouds > 0)
	if rng.Float64() < 0.6 {
		stamp := created.Format("2006-01-02T15:04:05.000Z")
		text("created", stamp)
		text("updated", stamp)
		text("sentinel:processing_baseline", "05.09")
	}
	return append(dst, '}')
}

// productID gives a name such as S2B_MSIL2A_20230601T090559_N0509_R050_T34QEJ_20230601T151342.
func productID(p place, made time.Time) string {
	const stamp = "20060102T150405"
	orbit := (p.tile.Zone*7+int(p.tile.Band))%143 + 1
	b := append([]byte("S2"), p.first)
	b = append(b, "_MSIL2A_"...)
	b = p.taken.AppendFormat(b, stamp)
	b = append(b, "_N0509_R"...)
	b = append(b, byte('0'+orbit/100), byte('0'+orbit/10%10), byte('0'+orbit%10))
	b = append(b, "_T"...)
	if p.tile.Zone < 10 {
		b = append(b, '0')
	}
	b = append(b, p.tile.Code()...)
	b = append(b, '_')
	return string(made.AppendFormat(b, stamp))
}

func appendAsset(dst []byte, s *assetShape, p place, id, day string, full bool) []byte {
	if full {
		dst = append(dst, s.full...)
	} else {
		dst = append(dst, s.short...)
	}
	if s.side == 0 {
		dst = append(dst, tiles...)
		dst = append(dst, day...)
		dst = strconv.AppendInt(dst, int64(p.taken.Day()), 10)
		dst = append(dst, '/')
		dst = strconv.AppendInt(dst, int64(p.sequence), 10)
		switch s.key {
		case "thumbnail":
			dst = append(dst, `/preview.jpg"}`...)
		case "info":
			dst = append(dst, `/tileInfo.json"}`...)
		default:
			dst = append(dst, `/metadata.xml"}`...)
		}
		return dst
	}
	dst = append(dst, rasters...)
	dst = append(dst, day...)
	dst = append(dst, id...)
	dst = append(dst, '/')
	dst = append(dst, s.file...)
	dst = append(dst, '"')
	dst = append(dst, s.after...)
	dst = strconv.AppendFloat(dst, p.tile.Easting, 'f', 1, 64)
	dst = append(dst, ",0.0,-"...)
	dst = append(dst, s.step...)
	dst = append(dst, ',')
	dst = strconv.AppendFloat(dst, p.tile.Northing, 'f', 1, 64)
	return append(dst, `,0.0,0.0,1.0]}`...)
}
