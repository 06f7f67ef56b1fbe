// Package geo holds the little geometry that a STAC workload needs: boxes in degrees that may cross
// the antimeridian, GeoJSON and WKT geometries with an exact intersection test, the UTM projection
// and the grid of Sentinel-2 tiles with the parts of it that lie on land.
//
// Longitudes and latitudes are WGS 84 degrees, in the order of GeoJSON (longitude first).
// geo imports no other room; it is the only importer of the geometry library.
package geo
