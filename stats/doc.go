// Package stats says how sure a figure is.
//
// Two questions are told apart. How far may a figure of one run be off? Its seconds depend on one
// another, so that whole blocks of time are drawn again ([QuantileInterval], [QuantileDifference], [RatioDifference]). Does
// one build differ from another? A run is then one observation, and a handful of runs per side is compared ([Compare],
// [Prediction]); requests of a run are never taken for independent observations. Where there are
// too few runs or seconds, the answer is an error or a warning that says how many it takes.
//
// It imports metrics only, keeps no state, and draws its random numbers from a seed.
package stats
