package item

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
)

const cog = "image/tiff; application=geotiff; profile=cloud-optimized"

// band is what the eo extension says of one band: wavelengths in micrometres.
type band struct {
	name, common  string
	centre, width float64
}

// asset is one of the twenty assets that each item has, in the order in which they stand.
type asset struct {
	key, title, media, role string
	file                    string // name of the raster; "" : beside the product's metadata
	side                    int    // pixels; 0: no raster
	gsd                     int    // metres; 0: not said
	bands                   []band
}

func assets() []asset {
	red, green, blue := band{"B04", "red", 0.6645, 0.038}, band{"B03", "green", 0.56, 0.045}, band{"B02", "blue", 0.4966, 0.098}
	data := func(key, title string, side, gsd int, b band) asset {
		return asset{key, title, cog, "data", key + ".tif", side, gsd, []band{b}}
	}
	return []asset{
		{"thumbnail", "Thumbnail", "image/png", "thumbnail", "", 0, 0, nil},
		{"overview", "True color image", cog, "overview", "L2A_PVI.tif", 343, 10, []band{red, green, blue}},
		{"info", "Original JSON metadata", "application/json", "metadata", "", 0, 0, nil},
		{"metadata", "Original XML metadata", "application/xml", "metadata", "", 0, 0, nil},
		{"visual", "True color image", cog, "overview", "TCI.tif", 10980, 10, []band{red, green, blue}},
		data("B01", "Band 1 (coastal)", 1830, 60, band{"B01", "coastal", 0.4439, 0.027}),
		data("B02", "Band 2 (blue)", 10980, 10, blue),
		data("B03", "Band 3 (green)", 10980, 10, green),
		data("B04", "Band 4 (red)", 10980, 10, red),
		data("B05", "Band 5", 5490, 20, band{"B05", "", 0.7039, 0.019}),
		data("B06", "Band 6", 5490, 20, band{"B06", "", 0.7402, 0.018}),
		data("B07", "Band 7", 5490, 20, band{"B07", "", 0.7825, 0.028}),
		data("B08", "Band 8 (nir)", 10980, 10, band{"B08", "nir", 0.8351, 0.145}),
		data("B8A", "Band 8A", 5490, 20, band{"B8A", "", 0.8648, 0.033}),
		data("B09", "Band 9", 1830, 60, band{"B09", "", 0.945, 0.026}),
		data("B11", "Band 11 (swir16)", 5490, 20, band{"B11", "swir16", 1.6137, 0.143}),
		data("B12", "Band 12 (swir22)", 5490, 20, band{"B12", "swir22", 2.22024, 0.242}),
		{"AOT", "Aerosol Optical Thickness (AOT)", cog, "data", "AOT.tif", 1830, 0, nil},
		{"WVP", "Water Vapour (WVP)", cog, "data", "WVP.tif", 10980, 0, nil},
		{"SCL", "Scene Classification Map (SCL)", cog, "data", "SCL.tif", 5490, 0, nil},
	}
}

// assetShape is the JSON of an asset split where an item's own values go in.
type assetShape struct {
	asset
	full  string // members before href, in the newer style
	short string // the same in the older style, without roles, gsd and bands
	after string // proj:shape and the first number of proj:transform up to the easting
	step  string // of the transform
}

func assetShapes() []assetShape {
	var shapes []assetShape
	for _, a := range assets() {
		s := assetShape{asset: a}
		s.short = fmt.Sprintf(`%q:{"title":%q,"type":%q,"href":"`, a.key, a.title, a.media)
		var more strings.Builder
		fmt.Fprintf(&more, `%q:{"title":%q,"type":%q,"roles":[%q],`, a.key, a.title, a.media, a.role)
		writeBands(&more, a)
		more.WriteString(`"href":"`)
		s.full = more.String()
		if a.side > 0 {
			s.step = strconv.FormatFloat(float64(int(geo.TileSize)/a.side), 'f', 1, 64)
			s.after = fmt.Sprintf(`,"proj:shape":[%d,%d],"proj:transform":[%s,0.0,`, a.side, a.side, s.step)
		}
		shapes = append(shapes, s)
	}
	return shapes
}

func writeBands(b *strings.Builder, a asset) {
	if a.gsd == 0 {
		return
	}
	fmt.Fprintf(b, `"gsd":%d,"eo:bands":[`, a.gsd)
	for i, band := range a.bands {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `{"name":%q,`, band.name)
		if band.common != "" {
			fmt.Fprintf(b, `"common_name":%q,`, band.common)
		}
		fmt.Fprintf(b, `"center_wavelength":%v,"full_width_half_max":%v}`, band.centre, band.width)
	}
	b.WriteString("],")
}
