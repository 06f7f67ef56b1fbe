package geo

import "math"

// Constants of the WGS 84 ellipsoid and of UTM: a: equatorial radius (m), f: flattening,
// k0: scale on the central meridian, falseEasting and falseNorthing (south only) in m.
const (
	semiMajor     = 6378137.0
	flattening    = 1 / 298.257223563
	scaleFactor   = 0.9996
	falseEasting  = 500_000.0
	falseNorthing = 10_000_000.0
)

// Coefficients of Krüger's series in n = f/(2-f), to the fourth order: better than 1 mm within a
// zone (C. F. F. Karney, "Transverse Mercator with an accuracy of a few nanometers", 2011, eqs. 12, 35, 36).
const (
	n1     = flattening / (2 - flattening)
	n2     = n1 * n1
	n3     = n2 * n1
	n4     = n3 * n1
	radius = semiMajor / (1 + n1) * (1 + n2/4 + n4/64) // rectifying radius A

	alpha1 = n1/2 - 2*n2/3 + 5*n3/16 + 41*n4/180
	alpha2 = 13*n2/48 - 3*n3/5 + 557*n4/1440
	alpha3 = 61*n3/240 - 103*n4/140
	alpha4 = 49561 * n4 / 161280

	beta1 = n1/2 - 2*n2/3 + 37*n3/96 - n4/360
	beta2 = n2/48 + n3/15 - 437*n4/1440
	beta3 = 17*n3/480 - 37*n4/840
	beta4 = 4397 * n4 / 161280
)

// centralMeridian returns the longitude of the middle of a UTM zone (1…60), in degrees.
func centralMeridian(zone int) float64 { return float64(zone)*6 - 183 }

// FromUTM turns easting and northing (m) of a zone into longitude and latitude.
func FromUTM(zone int, south bool, easting, northing float64) (lon, lat float64) {
	if south {
		northing -= falseNorthing
	}
	xi := northing / (scaleFactor * radius)
	eta := (easting - falseEasting) / (scaleFactor * radius)
	xi1, eta1 := xi, eta
	for i, b := range [4]float64{beta1, beta2, beta3, beta4} {
		k := 2 * float64(i+1)
		xi1 -= b * math.Sin(k*xi) * math.Cosh(k*eta)
		eta1 -= b * math.Cos(k*xi) * math.Sinh(k*eta)
	}
	tau1 := math.Sin(xi1) / math.Hypot(math.Sinh(eta1), math.Cos(xi1))
	tau := geodeticTangent(tau1)
	lon = centralMeridian(zone) + math.Atan2(math.Sinh(eta1), math.Cos(xi1))*180/math.Pi
	return lon, math.Atan(tau) * 180 / math.Pi
}

// ToUTM turns longitude and latitude into easting and northing (m) of the given zone.
func ToUTM(zone int, south bool, lon, lat float64) (easting, northing float64) {
	lambda := (lon - centralMeridian(zone)) * math.Pi / 180
	tau1 := conformalTangent(math.Tan(lat * math.Pi / 180))
	xi := math.Atan2(tau1, math.Cos(lambda))
	eta := math.Asinh(math.Sin(lambda) / math.Hypot(tau1, math.Cos(lambda)))
	x, y := eta, xi
	for i, a := range [4]float64{alpha1, alpha2, alpha3, alpha4} {
		k := 2 * float64(i+1)
		y += a * math.Sin(k*xi) * math.Cosh(k*eta)
		x += a * math.Cos(k*xi) * math.Sinh(k*eta)
	}
	easting = falseEasting + scaleFactor*radius*x
	northing = scaleFactor * radius * y
	if south {
		northing += falseNorthing
	}
	return easting, northing
}

// conformalTangent returns the tangent of the conformal latitude for that of the geodetic one (Karney, eq. 7).
func conformalTangent(tau float64) float64 {
	e := math.Sqrt(flattening * (2 - flattening))
	sigma := math.Sinh(e * math.Atanh(e*tau/math.Hypot(1, tau)))
	return tau*math.Hypot(1, sigma) - sigma*math.Hypot(1, tau)
}

// geodeticTangent inverts conformalTangent by Newton's method (Karney, eqs. 19–21); three steps reach
// the precision of a float64 everywhere.
func geodeticTangent(tau1 float64) float64 {
	e2 := flattening * (2 - flattening)
	tau := tau1
	for range 4 {
		t := conformalTangent(tau)
		step := (tau1 - t) / math.Hypot(1, t) * (1 + (1-e2)*tau*tau) / ((1 - e2) * math.Hypot(1, tau))
		tau += step
		if math.Abs(step) < 1e-15*max(1, math.Abs(tau)) {
			break
		}
	}
	return tau
}
