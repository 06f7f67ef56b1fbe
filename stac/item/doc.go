// Package item makes Sentinel-2 L2A-like STAC items out of a seed and a number.
//
// Item n of a [Generator] depends on nothing but the seed and n: a million items stream through
// flat memory, any reader can compute the id of any item, and the same seed gives the same bytes.
// The first items lie in one small block of tiles ([geo.Sample]), so that queries can be placed
// where the data is; later ones are spread over the land of the world.
// item knows the shape of the data, not how it is stored or sent; it imports stac/geo only.
package item
